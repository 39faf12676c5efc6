"""What of a mechanism ran on no database: lines, arms of expressions, and what its code reads besides its rows.

It imports claims, and no decider. Begin with `collecting.py`.
"""
