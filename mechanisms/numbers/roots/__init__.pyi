from .delta_symbol import symbolic_delta as symbolic_delta
from .delta_symbol import symbolic_depth as symbolic_depth
