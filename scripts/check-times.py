"""Compares measured times of real files, frame by frame, with the Python readers of their formats.

    python3 scripts/check-times.py SAMPLES [http://127.0.0.1:8767]

while a server runs. Needs numpy, tifffile, nd2, liffile and h5py; a reader that is missing is named, and its files are left out.
The last result is in docs/compared.md.
"""

import importlib
import json
import logging
import pathlib
import sys
import urllib.error
import urllib.request
import xml.etree.ElementTree as ElementTree

import numpy

if len(sys.argv) < 2:
    sys.exit(__doc__)
samples = pathlib.Path(sys.argv[1])
server = sys.argv[2] if len(sys.argv) > 2 else 'http://127.0.0.1:8767'
# Files without dates make it write several lines each.
logging.getLogger('tifffile').setLevel(logging.CRITICAL)
NEAR = 1e-6
"""Seconds by which two readings of one stamp may differ."""


def ask(path, body=None):
    headers = {} if body is None else {'Content-Type': 'application/json'}
    request = urllib.request.Request(server + path, None if body is None else json.dumps(body).encode(), headers)
    with urllib.request.urlopen(request) as response:
        return json.load(response)


def of_tiff(path):
    with needs('tifffile').TiffFile(path) as file:
        if file.lsm_metadata:
            return file.lsm_metadata.get('TimeStamps')
        if file.stk_metadata:
            created = file.stk_metadata.get('DatetimeCreated')
            return None if created is None else (created - created[0]) / numpy.timedelta64(1, 's')
        if file.ome_metadata:
            return of_ome(file.ome_metadata)
    return None


def of_ome(text):
    root = ElementTree.fromstring(text)
    pixels = next(element for element in root.iter() if element.tag.endswith('}Pixels'))
    planes = [element for element in pixels if element.tag.endswith('}Plane')]
    first = [plane for plane in planes if plane.get('TheC') == plane.get('TheZ') == '0' and plane.get('DeltaT')]
    factors = {'s': 1.0, 'ms': 1e-3, 'µs': 1e-6}
    return [float(plane.get('DeltaT')) * factors[plane.get('DeltaTUnit', 's')] for plane in first]


def of_nd2(path):
    with needs('nd2').ND2File(path) as file:
        if 'T' not in file.sizes:
            return None
        return file.events(orient='list').get('Time [s]')


def of_lif(path):
    with needs('liffile').LifFile(path) as file:
        times = file.images[0].coords.get('T')
        return None if times is None else numpy.asarray(times, 'f8')


def of_nwb(path):
    with needs('h5py').File(path) as file:
        found = []
        file['acquisition'].visititems(
            lambda name, item: found.append(item[()]) if name.endswith('/timestamps') else None
        )
        return found[0] if found else None


READERS = {'.tif': of_tiff, '.tiff': of_tiff, '.lsm': of_tiff, '.stk': of_tiff, '.nd2': of_nd2, '.lif': of_lif, '.nwb': of_nwb}
missing = set()


def needs(name):
    try:
        return importlib.import_module(name)
    except ImportError:
        missing.add(name)
        raise


def compare(path):
    """Returns what became of a file; nothing when neither side has times."""
    try:
        opened = ask('/api/v2/open', {'path': str(path.resolve()), 'decode': 'later', 'ttlSeconds': 10})
    except urllib.error.HTTPError:
        return None
    axes = ask(f'/api/v2/sessions/{opened["sessionId"]}/coordinates')['axes']
    axis = axes.get('T') or axes.get('Y')
    try:
        told = READERS[path.suffix.lower()](path)
    except ImportError:
        return None
    except Exception as error:  # Another reader may not know the file.
        return f'not read: {type(error).__name__}' if axis else None
    theirs = numpy.empty(0) if told is None else numpy.asarray(told, 'f8').ravel()
    if axis is None:
        return None if theirs.size < 2 or numpy.ptp(theirs) == 0 else f'ONLY THERE: {theirs.size} times'
    ours = numpy.array([numpy.nan if value is None else value for value in axis['values']], 'f8')
    if theirs.size < 2:
        return f'only here: {ours.size} values ({axis["source"]})'
    theirs = theirs[:: max(1, theirs.size // ours.size)] if theirs.size % ours.size == 0 else theirs
    if theirs.size != ours.size:
        return f'DIFFERENT: {ours.size} values here, {theirs.size} there'
    worst = numpy.nanmax(numpy.abs((theirs - theirs[0]) - ours))
    return f'same: {ours.size} values' if worst <= NEAR else f'DIFFERENT: by up to {worst:g} s of {ours.size} values'


for path in sorted(samples.rglob('*')):
    if path.is_file() and path.suffix.lower() in READERS and (outcome := compare(path)):
        print(f'{outcome}  {path.relative_to(samples)}')
for name in sorted(missing):
    print(f'without {name}: its files were left out')
