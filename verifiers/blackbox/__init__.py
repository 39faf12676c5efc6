"""Claims about samplers that cannot be looked into: refuted at a confidence, or inconclusive, and never proved.

It imports `blackbox/sampling/` and `privacy/`. Begin with `claim.py`, then `privacy_audit.py`.
"""
