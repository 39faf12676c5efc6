"""Claims of what is released of data: frequent itemsets, and answers to queries by learning thresholds.

Accuracy, samples and the learner each have files of their own; `polynomials/` holds what they are learnt with.

It imports its topic, and those before. Begin with `private_release_privacy.py`.
"""
