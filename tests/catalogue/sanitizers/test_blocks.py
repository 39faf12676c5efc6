from dpverify.verifiers.catalogue.sanitizers.histograms.points_sanitizer_utility import san_points_is_close
from dpverify.verifiers.catalogue.sanitizers.thresholds.thresholds_sanitizer_executions_calculation import (
    WITHOUT_B2,
    WITHOUT_B3,
from dpverify.verifiers.catalogue.sanitizers.thresholds.thresholds_sanitizer_utility import (
    is_close,
)
from dpverify.verifiers.utility.repeated import written_out
