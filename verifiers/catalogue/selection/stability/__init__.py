"""Claims of A_dist, which releases a best solution only where it is the best by far, and of choosing by it.

It imports its topic alone. Begin with `stability_privacy.py`.
"""
