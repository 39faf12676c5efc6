from .delta_symbol import symbolic_delta as symbolic_delta
