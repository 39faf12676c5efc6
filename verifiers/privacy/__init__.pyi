from .calibration import Calibration as Calibration
