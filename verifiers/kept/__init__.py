"""Things that are kept between audits: verdicts, durations, journals; and by what it is known that it still holds.

It imports claims and processes. Begin with `verdict_cache.py`, then `cache_keys.py`.
"""
