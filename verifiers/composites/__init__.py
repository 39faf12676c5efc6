"""Mechanisms that are as private as their parts together, for databases of every size: see docs/composites.md."""
