"""What is claimed of polynomials that stand for thresholds, and of trees of conjunctions.

It imports its topic, and those before. Begin with `polynomial_thresholds_step.py`.
"""
