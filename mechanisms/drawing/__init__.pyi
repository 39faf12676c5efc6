from .failures import debugging as debugging
from .sorted_rows import in_sorted_order as in_sorted_order
from .symmetric import permutations as permutations
from .symmetric import relabellings as relabellings
from .symmetric import shifts as shifts
