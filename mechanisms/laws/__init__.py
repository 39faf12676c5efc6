"""What `draw` means: distributions, noise, the enumerator that runs a mechanism on all paths, and the sampler."""
