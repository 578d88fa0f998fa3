"""Compares the LSM fixtures of our own writer with the independent reader `tifffile`, where it is installed.

    ACQSTORE_FIXTURES_DIR=/tmp/fixtures npx vitest run tests/conformance/lsm-fixtures.test.ts
    python3 scripts/check-lsm.py /tmp/fixtures

The last result is recorded in docs/formats/lsm.md.
"""

import hashlib
import json
import pathlib
import sys

try:
    import numpy
    import tifffile
except ImportError as error:
    sys.exit(f'needs the Python packages tifffile and numpy: {error}')

folder = pathlib.Path(sys.argv[1]) / 'lsm'
failed = 0
for name, ours in json.loads((folder / 'facts.json').read_text()).items():
    try:
        with tifffile.TiffFile(folder / name) as tif:
            series = tif.series[0]
            array = series.asarray(squeeze=False)
            axes = series.get_axes(squeeze=False)
    except (ValueError, RuntimeError) as error:
        print('unread   ', name, error)
        continue
    # Planes in the order of ours: the axes of pages, then channels, then rows and columns.
    rest = axes.replace('C', '').replace('S', '')
    channel = ''.join(letter for letter in axes if letter in 'CS')
    order = rest[:-2] + channel + rest[-2:]
    array = numpy.transpose(array, [axes.index(letter) for letter in order])
    planes = array.size // (array.shape[-1] * array.shape[-2])
    data = numpy.ascontiguousarray(array).astype(array.dtype.newbyteorder('<'))
    same = hashlib.sha256(data.tobytes()).hexdigest() == ours['sha256'] and planes == ours['planes']
    print('same' if same else 'DIFFERENT', name, order, array.shape, 'sum', data.sum(dtype='f8'))
    failed += not same
print(f'tifffile {tifffile.__version__}: {failed} different')
sys.exit(1 if failed else 0)
