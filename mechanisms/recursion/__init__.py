"""The recursion for quasi-concave promise problems."""
