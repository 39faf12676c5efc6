"""What is claimed of the recursion for quasi-concave promise problems."""
