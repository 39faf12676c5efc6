"""The gate: questions that were accepted, what became of them, and its page.

It imports the record, its kinds, and audits. Begin with `gate.py`; what is stored is written in `baseline.py`. A change
keeps baselines of users readable, and passes nothing weaker: `tests/reports/gates`.
"""
