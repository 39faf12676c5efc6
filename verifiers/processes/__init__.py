"""Processes: workers that decide, and the time they may take.

It imports no other room of verifiers. Begin with `workers.py`.
"""
