"""Mechanisms broken in the ways people break them, and whether their privacy claims notice.

It imports audits and claims of privacy. Begin with `mutation.py`.
"""
