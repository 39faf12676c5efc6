"""What is claimed of the sanitizers, and of what they release."""
