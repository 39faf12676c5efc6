"""What is claimed of the sanitizer of labels.

It imports its topic, and those before. Begin with `label_sanitizer_privacy.py`.
"""
