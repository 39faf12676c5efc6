"""The catalogue of the papers' claims: pytest decides each as a test."""

from dpverify.verifiers.catalogue import privacy_claims

CLAIMS = privacy_claims()
