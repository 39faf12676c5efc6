"""What is claimed of noise, of choosing among solutions, of composition and of sampling."""
