"""Parts of a mechanism that ran on no database: lines, arms of expressions, and what its code reads besides rows.

It imports claims, and no decider. Begin with `collecting.py`.
"""
