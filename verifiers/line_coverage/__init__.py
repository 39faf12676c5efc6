"""Coverage of a mechanism: lines and arms of expressions that ran on no database, and inputs besides rows.

It imports claims, and no decider. Begin with `collecting.py`. A change keeps verdicts as they are without it:
`tests/verifiers/line_coverage`.
"""
