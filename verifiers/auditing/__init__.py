"""Auditing: claims are found, selected, decided by workers, and become a record."""
