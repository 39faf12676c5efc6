"""The laws of all databases of a domain as tables of numbers, and what makes them few and finite.

It imports experiments, and the packages below them. Begin with `tabulation.py`, then `distribution_table.py`.
"""
