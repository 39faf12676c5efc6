"""Processes: workers that decide, and the time they may take."""
