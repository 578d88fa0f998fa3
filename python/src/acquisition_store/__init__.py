"""Python client of Acquisition Store Server.

>>> import acquisition_store as acq
>>> stack = acq.imread("/data/stack.czi")   # numpy, T C Z Y X
>>> with acq.open("/data/scan.oir") as a:
...     plane = a.plane("GFP")          # float32, rows x columns
...     part = a.array()[3, 0, :, 100:200]  # the type of the file, T C Z Y X
"""

from ._acquisition import Acquisition, open
from ._array import LazyArray
from ._errors import AcqError, ChannelNotFoundError, InvalidArgumentError
from ._facts import SplitRecording, VoxelSize
from ._folders import File, Folder, Recording, browse, catalog
from ._imread import imread
from ._marks import read_marks
from ._reference import Reference
from ._server import Server

__version__ = "0.1.0"
__all__ = [
    "AcqError",
    "Acquisition",
    "ChannelNotFoundError",
    "File",
    "Folder",
    "InvalidArgumentError",
    "LazyArray",
    "Recording",
    "Reference",
    "Server",
    "SplitRecording",
    "VoxelSize",
    "browse",
    "catalog",
    "imread",
    "open",
    "read_marks",
]
