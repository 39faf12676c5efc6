"""Symbolic domains as regions of neighbours, with output distributions as functions of unknown integers.

It imports deciding, and the packages below it. Begin with `regions.py`, then `laws.py`. A change keeps what is PROVED
true on the databases that are tried: `tests/verifiers/all_sizes/regions`.
"""
