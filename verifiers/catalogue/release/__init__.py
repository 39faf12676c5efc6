"""What is claimed of itemsets, and of data release by learning thresholds.

It imports its topic, and those before. Begin with `private_release_privacy.py`.
"""
