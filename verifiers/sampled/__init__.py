"""Claims about samplers that cannot be looked into: refuted at a confidence, or inconclusive, and never proved."""
