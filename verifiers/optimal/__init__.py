"""The best private mechanism on a small domain: a linear program, solved exactly."""
