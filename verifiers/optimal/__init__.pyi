from .best import BestMechanism as BestMechanism
from .best import best_mechanism as best_mechanism
from .comparing import DistanceFromOptimal as DistanceFromOptimal
from .comparing import distance_from_optimal as distance_from_optimal
