"""Opens the files of our own HDF5 writer with h5py, where it is installed, and compares every array.

    ACQSTORE_FIXTURES_DIR=/tmp/fixtures npx vitest run tests/unit/hdf5
    python3 scripts/check-hdf5.py /tmp/fixtures
"""

import pathlib
import sys

try:
    import h5py
    import numpy
except ImportError as error:
    sys.exit(f'needs the Python packages h5py and numpy: {error}')

wanted = numpy.arange(60).reshape(3, 4, 5)
failed = 0
for path in sorted((pathlib.Path(sys.argv[1]) / 'hdf5').glob('*.h5')):
    with h5py.File(path, 'r') as file:
        for name, dataset in file.items():
            same = dataset.dtype == '<u2' and numpy.array_equal(dataset[()], wanted)
            print('same' if same else 'DIFFERENT', path.name, name, dataset.chunks, dataset.maxshape)
            failed += not same
print(f'h5py {h5py.__version__}, HDF5 {h5py.version.hdf5_version}: {failed} different')
sys.exit(1 if failed else 0)
