"""Mechanisms broken in the ways people break them, and whether their privacy claims notice."""
