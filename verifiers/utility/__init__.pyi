from .best_possible import BestPossible as BestPossible
from .binomial_interval import clopper_pearson as clopper_pearson
from .pac import audit_pac as audit_pac
from .statement import Sharpness as Sharpness
