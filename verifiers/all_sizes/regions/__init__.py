"""Domains without end as regions of neighbours, and laws on them, as functions of unknown whole numbers.

It imports deciding, and the packages below it. Begin with `regions.py`, then `laws.py`.
"""
