"""Claims of the sanitizer of labels, which keeps the points of a sample and makes their labels private.

It imports its topic, and those before. Begin with `label_sanitizer_privacy.py`.
"""
