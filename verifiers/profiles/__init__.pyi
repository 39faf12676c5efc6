from .least_share import LeastShare as LeastShare
from .longer_inputs import LongerInputs as LongerInputs
from .longer_inputs import worst_pairs as worst_pairs
from .neighbour_matrix import NeighbourMatrix as NeighbourMatrix
from .neighbour_matrix import neighbour_matrix as neighbour_matrix
