"""What is claimed of the Laplace mechanism, noisy max and the sparse vector.

It imports its topic alone. Begin with `laplace_mechanism_privacy.py`.
"""
