"""Drawing from samplers that cannot be read: a pilot that proposes events, and what counts say.

It imports mechanisms, and domains. Begin with `samplers.py`, then `pilot.py`. A change keeps events chosen by the pilot
alone, and tests by other draws: `tests/verifiers/blackbox`.
"""
