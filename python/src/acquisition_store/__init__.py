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
<<<<<<< HEAD
from ._facts import VoxelSize
from ._folders import File, Folder, Recording, browse, catalog
=======
from ._facts import Recording, VoxelSize
from ._folders import File, Folder, browse
>>>>>>> 485b7f19 (Open whole recordings in the command line, viewer and Python)
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
    "VoxelSize",
    "browse",
    "catalog",
    "imread",
    "open",
    "read_marks",
]
