"""Claims of stable histograms, of SanPoints, which reads estimates off them, and of how many rows points need.

It imports its topic, and those before. Begin with `stable_histogram_privacy.py`.
"""
