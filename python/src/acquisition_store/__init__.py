"""Python client of Acquisition Store Server.

>>> import acquisition_store as acq
>>> with acq.open("/data/scan.oir") as a:
...     plane = a.plane("GFP")          # float32, rows x columns
...     part = a.array()[3, 0, :, 100:200]  # the type of the file, T C Z Y X
"""

from ._acquisition import Acquisition, open
from ._array import LazyArray
from ._errors import AcqError, ChannelNotFoundError
from ._reference import Reference
from ._server import Server

__version__ = "0.1.0"
__all__ = ["AcqError", "Acquisition", "ChannelNotFoundError", "LazyArray", "Reference", "Server", "open"]
