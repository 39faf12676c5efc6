from .qualities import all_at_once as all_at_once
from .qualities import largest as largest
from .qualities import of_counts as of_counts
from .qualities import smallest as smallest
from .step_functions import StepFunction as StepFunction
