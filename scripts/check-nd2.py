"""Compares the ND2 fixtures of our own writers with the independent reader `nd2`, where it is installed.

    ACQSTORE_FIXTURES_DIR=/tmp/fixtures npx vitest run tests/conformance/nd2-fixtures.test.ts
    python3 scripts/check-nd2.py /tmp/fixtures

The last result is recorded in docs/formats/nd2.md.
"""

import hashlib
import json
import pathlib
import sys

try:
    import nd2
    import numpy
except ImportError as error:
    sys.exit(f'needs the Python packages nd2 and numpy: {error}')

folder = pathlib.Path(sys.argv[1]) / 'nd2'
failed = 0
for name, scenes in json.loads((folder / 'facts.json').read_text()).items():
    with nd2.ND2File(folder / name) as file:
        array = file.asarray()
        axes = list(file.sizes)
    if 'S' in axes:
        # Colour is stored blue, green, red, which the reader leaves as it is.
        array = numpy.flip(array, axes.index('S'))
        axes[axes.index('S')] = 'C'
    for axis in 'YCZTP':
        if axis not in axes:
            array = array[None]
            axes.insert(0, axis)
    array = numpy.transpose(array, [axes.index(axis) for axis in 'PTZCYX'])
    if array.shape[4] == 1:
        # A frame for each line: our rows are its time points.
        array = numpy.swapaxes(array, 1, 4)
    same = array.shape[0] == len(scenes) and all(
        hashlib.sha256(numpy.ascontiguousarray(array[i]).tobytes()).hexdigest() == scene['sha256']
        for i, scene in enumerate(scenes)
    )
    print('same' if same else 'DIFFERENT', name, list(array.shape), 'sum', float(array.sum(dtype='f8')))
    failed += not same
print(f'nd2 {nd2.__version__}: {failed} different')
sys.exit(1 if failed else 0)
