from .statement import BrokenStep as BrokenStep
