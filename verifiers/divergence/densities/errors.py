"""The error for what is not known of the laws of released numbers, and may be of the noises that they are made of."""

from dpverify.mechanisms.numbers.errors import Undecided


class Inseparable(Undecided):
    """Numbers are released in ways that the outcome does not tell apart, or were cut off, or have none in common."""
