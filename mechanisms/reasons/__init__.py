"""The registry of reasons: why an input or a mechanism is refused, and why a claim is UNDECIDED, a row each.

It imports no other package. Begin with `reason.py`; rows with examples are in `mechanisms/numbers/reasons.py`. A change
keeps ids, which users look for, and renews `docs/errors.md`: `tests/mechanisms/numbers/test_reasons.py`.
"""
