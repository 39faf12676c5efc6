"""Errors in finding the best mechanism that are not of its input."""

from dpverify.mechanisms.numbers.errors import InputError


class SolverMissing(InputError):
    """The linear programming solver is not installed."""
