"""The instructions of a mechanism, where they say what becomes of what it draws: returned at once, or the best kept.

It imports noises, what is known of them, and laws. What is not read so is run as it is written. Begin with
`contests.py`.
"""
