"""The commands of `dpverify`, one module each, and the options that they share."""
