"""Deciding structure: lemmas as goals that two SMT solvers refute the negation of. It knows no paper."""
