"""Claims of RecConcave and of Rec, which search a range by the scale of its good intervals.

Privacy is that of whole executions and of each call; utility and steps speak of the recursion's promise.

It imports its topic, and those before. Begin with `quasi_concave_privacy.py`.
"""
