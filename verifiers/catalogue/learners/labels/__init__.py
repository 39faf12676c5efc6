"""What is claimed of learning with label privacy.

It imports its topic, and those before. Begin with `label_private_learner_privacy.py`.
"""
