"""What is claimed of the sanitizers, and of what they release.

It imports its topic, and those before. Begin with `histograms/`.
"""
