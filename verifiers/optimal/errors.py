"""What may be wrong in finding the best mechanism, beside its input."""

from __future__ import annotations

from dpverify.mechanisms.numbers.errors import InputError


class SolverMissing(InputError):
    """The linear programming solver is not installed."""
