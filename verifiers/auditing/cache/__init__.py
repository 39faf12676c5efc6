"""The cache between audits: verdicts, durations, journals; and the keys by which they are known to hold still.

It imports claims and processes. Begin with `verdict_cache.py`, then `cache_keys.py`.
"""
