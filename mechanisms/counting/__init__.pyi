from .qualities import all_at_once as all_at_once
from .qualities import of_counts as of_counts
from .step_functions import StepFunction as StepFunction
from .tallies import largest as largest
from .tallies import smallest as smallest
