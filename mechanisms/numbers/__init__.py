"""Exact real numbers: what they are made of, their arithmetic, enclosures, texts, and their signs.

It imports no other package. Begin with `exact_numbers.py`; how a sign is decided is said in `decision.py`. A change
keeps every sign exact, or `Undecided`: `tests/mechanisms/numbers`, and `make deep`.
"""
