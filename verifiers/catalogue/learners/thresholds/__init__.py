"""What is claimed of the learners of thresholds and of rectangles.

It imports its topic, and those before. Begin with `thresholds_learner_privacy.py`.
"""
