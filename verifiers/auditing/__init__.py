"""Auditing: claims are found, selected, decided by workers, and become a record.

It imports claims of every kind, and what is kept. Begin with `auditing.py`.
"""
