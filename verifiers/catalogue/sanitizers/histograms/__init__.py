"""What is claimed of stable histograms, and of the sanitizer of points.

It imports its topic, and those before. Begin with `stable_histogram_privacy.py`.
"""
