"""What is claimed of A_dist and of the choosing mechanism.

It imports its topic alone. Begin with `stability_privacy.py`.
"""
