from .domains import EveryDatabase as EveryDatabase
from .domains import EveryQuality as EveryQuality
