"""Drawing from what cannot be looked into: samplers, a pilot that proposes events, and what counts say.

It imports mechanisms, and domains. Begin with `samplers.py`, then `pilot.py`.
"""
