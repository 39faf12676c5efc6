"""Privacy of databases of every size: scores as sums of unknown whole numbers."""
