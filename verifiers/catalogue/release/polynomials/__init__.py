"""Claims of polynomials that stand for thresholds, Chebyshev's among them, and of trees of conjunctions.

It imports its topic, and those before. Begin with `polynomial_thresholds_step.py`.
"""
