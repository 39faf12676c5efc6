from .domains import EveryDatabase as EveryDatabase
from .domains import EveryQuality as EveryQuality
from .domains import WithSymbols as WithSymbols
from .parts import EVERY_VALUE as EVERY_VALUE
