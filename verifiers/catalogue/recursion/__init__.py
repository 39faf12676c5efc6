"""What is claimed of the recursion for quasi-concave promise problems.

It imports its topic, and those before. Begin with `quasi_concave_privacy.py`.
"""
