"""The audit record, and everything that renders or writes it."""
