"""Claims of private learners, proper, agnostic and of many concepts at once, and of the samples they learn from.

A concept class has a package: `points/`, `thresholds/`, `parities/`; lower bounds are in `tracing/`.

It imports its topic, and those before. Begin with `points/`.
"""
