"""What is claimed of noise, of choosing among solutions, of composition and of sampling.

It imports its topic alone. Begin with `exponential_mechanism_privacy.py`.
"""
