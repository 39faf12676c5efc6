"""Sanitizers, and the concepts that they and the learners speak of."""
