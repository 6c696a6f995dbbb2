"""Reports: tables made of samples. They read records only, so they need no plug-in and no simulation."""

from kernelcraft_core.reports.tables import report
from kernelcraft_core.reports.totals import Totals, totals

__all__ = ["Totals", "report", "totals"]
