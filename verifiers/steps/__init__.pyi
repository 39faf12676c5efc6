from .claim import BrokenStep as BrokenStep
