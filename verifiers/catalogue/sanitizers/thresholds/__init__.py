"""Claims of the sanitizer of thresholds: its calls of the recursion, its executions, its noise and its orders.

It imports its topic, and those before. Begin with `thresholds_sanitizer_privacy.py`.
"""
