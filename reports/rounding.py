"""The difference that rounding makes to a claim over the real numbers, as plain data: measured, and no bound."""

import msgspec


class RoundingRecord(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The differences between runs of a program of floats and of the exact one, on the same noise."""

    databases: int
    draws: int
    """Runs on all these databases."""
    seed: int
    largest_difference: str
    """The largest one between numbers in the same place of two outcomes, in decimals, rounded up."""
    other_outcomes: int
    """Runs whose outcomes differ in more than such numbers, as where a comparison came out otherwise."""
    drawn_otherwise: int
    """Runs in which the program of floats drew from other laws, or more or less often."""
    not_measured: str = ""
    """The reason why nothing was measured; empty where it was."""

    @property
    def in_words(self) -> str:
        """All of it."""
        if self.not_measured:
            return f"Rounding: not measured: {self.not_measured}."
        others = f"; another outcome in {self.other_outcomes} of them" if self.other_outcomes else ""
        otherwise = f"; in {self.drawn_otherwise} of them it drew otherwise" if self.drawn_otherwise else ""
        return (
            f"Rounding: at most {self.largest_difference} between the float program and the exact one in {self.draws} "
            f"draws on {self.databases} databases (seed {self.seed}){others}{otherwise}: measured, no bound."
        )
