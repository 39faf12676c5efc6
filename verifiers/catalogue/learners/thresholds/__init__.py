"""Claims of learners of thresholds, by the recursion and by search, agnostic too, and of rectangles made of them.

It imports its topic, and those before. Begin with `thresholds_learner_privacy.py`.
"""
