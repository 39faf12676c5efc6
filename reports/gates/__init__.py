"""The gate: questions that were accepted, what became of them, and its page.

It imports the record, its kinds, and audits. Begin with `gate.py`; what is kept is written in `baseline.py`.
"""
