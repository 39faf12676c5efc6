"""Claims of learners of parities over GF(2), of one and of many from one sample.

It imports its topic, and those before. Begin with `parities_privacy.py`.
"""
