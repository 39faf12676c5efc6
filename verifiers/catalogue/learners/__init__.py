"""What is claimed of the learners, and of random samples.

It imports its topic, and those before. Begin with `points/`.
"""
