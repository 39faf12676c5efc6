"""Lower bounds for learners: packings, fingerprinting codes and tracing.

It imports its topic, and those before. Begin with `tracing_lower_bound.py`.
"""
