"""The back end `rtl`: programs run on a simulator binary that the user built from the public RTL.

Nothing here simulates, and nothing falls back to the core's simulator: what the binary does not report is an error.

| code | meaning |
| --- | --- |
| KC0460 | no RTL simulator is set, or what is set is no file that can be read and executed |
| KC0461 | an RTL simulator cannot do what a run asks for |
| KC0462 | the RTL simulator cannot be started, fails, or ends without a report |
| KC0463 | the report of the RTL simulator is not of its form, or about another run |
| KC0464 | the RTL simulator takes longer than the run's limit of wall time |
"""

from kc_coral.rtl.backend import ENV, Rtl, open_rtl

__all__ = ["ENV", "Rtl", "open_rtl"]
