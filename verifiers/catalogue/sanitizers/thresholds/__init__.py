"""What is claimed of the sanitizer of thresholds.

It imports its topic, and those before. Begin with `thresholds_sanitizer_privacy.py`.
"""
