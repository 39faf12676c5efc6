from .instance import HardInstance as HardInstance
from .statement import Broken as Broken
