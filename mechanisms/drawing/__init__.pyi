from .failures import debugging as debugging
from .symmetric import permutations as permutations
from .symmetric import relabellings as relabellings
from .symmetric import shifts as shifts
