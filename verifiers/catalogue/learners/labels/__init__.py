"""Claims of learners that keep the labels of a sample private, and not its points.

It imports its topic, and those before. Begin with `label_private_learner_privacy.py`.
"""
