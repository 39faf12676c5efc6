"""What is claimed of the learners of parities, of one and of many.

It imports its topic, and those before. Begin with `parities_privacy.py`.
"""
