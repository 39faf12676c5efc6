"""Claims of added noise: the Laplace mechanism, report noisy max, and the sparse vector with its long pairs.

It imports its topic alone. Begin with `laplace_mechanism_privacy.py`.
"""
