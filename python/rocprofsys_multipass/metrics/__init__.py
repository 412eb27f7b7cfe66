# SPDX-License-Identifier: MIT
"""Metric sets: derived metrics by name, what they are on each architecture, and their values.

``metrics.json`` beside this file is the one source: the plugin and the planner have it built in (library/metrics).
docs/metrics.md lists what is in it.
"""

from rocprofsys_multipass.metrics.catalogue import (
    Metric,
    MetricSet,
    metrics_of,
    metrics_on,
    properties,
    set_names,
    sets,
)
from rocprofsys_multipass.metrics.formula import Formula, FormulaError
from rocprofsys_multipass.metrics.panels import Panel, PanelMetric, panel_architectures, panel_metrics, panels
from rocprofsys_multipass.metrics.values import MetricValue, metric_values, values_of

__all__ = [
    "Formula",
    "FormulaError",
    "Metric",
    "MetricSet",
    "MetricValue",
    "Panel",
    "PanelMetric",
    "metric_values",
    "metrics_of",
    "metrics_on",
    "panel_architectures",
    "panel_metrics",
    "panels",
    "properties",
    "set_names",
    "sets",
    "values_of",
]
