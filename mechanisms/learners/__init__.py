"""Private learners."""
