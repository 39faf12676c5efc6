"""The record in each format: for people, and for what reads it in CI.

It imports the record, its kinds and the gate. Begin with `rendering.py`, which lists the formats. A change keeps to the
schemas of SARIF and JUnit, and to HTML that runs nothing: `tests/reports/formats`, `make browser`.
"""
