"""Auditing: claims are found, selected, decided by workers, and become a record.

It imports claims of every kind, and what is cached. Begin with `auditing.py`. A change keeps exit statuses, and a
record that does not depend on the number of workers: `tests/verifiers/auditing`.
"""
