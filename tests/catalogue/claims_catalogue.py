"""The catalogue of the papers' claims, of all kinds: pytest decides each as a test, once."""

from dpverify.verifiers.catalogue import catalogue

CLAIMS = catalogue()
