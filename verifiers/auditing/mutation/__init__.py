"""Mechanisms broken in the ways people break them, and whether their privacy claims notice.

It imports audits and claims of privacy. Begin with `mutation.py`. A change keeps each operator refuted on its planted
claim: `tests/verifiers/auditing/mutation`.
"""
