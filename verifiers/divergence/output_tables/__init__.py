"""The output distributions of all databases of a domain as tables of numbers, few and finite.

It imports experiments, and the packages below them. Begin with `tabulation.py`, then `distribution_table.py`. A change
keeps the divergence of what is left out or merged: `tests/verifiers/divergence/output_tables`.
"""
