"""The cache between audits: verdicts and journals; and the keys by which they are known to hold still.

It imports claims and processes. Begin with `verdict_cache.py`, then `cache_keys.py`. A change may cache less, and never
serves a verdict of other code: `tests/verifiers/auditing/test_verdict_cache.py`.
"""
