"""What is claimed of the learners, and of random samples."""
