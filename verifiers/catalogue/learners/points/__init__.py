"""Claims of learners of points, 1 at one x and 0 elsewhere, of one and of many from one sample.

It imports its topic, and those before. Begin with `points_learner_privacy.py`.
"""
