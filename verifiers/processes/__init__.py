"""Processes: workers that decide, and the time they may take.

It imports no other package of verifiers. Begin with `workers.py`. A change leaves no process behind, and ends within a
timeout: `tests/verifiers/processes`.
"""
