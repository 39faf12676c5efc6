"""Claims about samplers that cannot be read: refuted at a confidence, or inconclusive, and never proved.

It imports `blackbox/sampling/` and `privacy/`. Begin with `claim.py`, then `privacy_audit.py`. A change keeps the
promised confidence, and draws that a seed repeats: `tests/verifiers/blackbox`.
"""
