"""What is claimed of the learners of points, of one and of many.

It imports its topic, and those before. Begin with `points_learner_privacy.py`.
"""
