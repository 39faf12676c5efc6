from .claim import Broken as Broken
from .instance import HardInstance as HardInstance
