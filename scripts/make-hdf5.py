"""Writes HDF5 files of every storage and version with h5py, where it is installed, for our reader to read.

    python3 scripts/make-hdf5.py /tmp/hdf5
    ACQSTORE_HDF5_DIR=/tmp/hdf5 npx vitest run tests/unit/hdf5

The last result is recorded in docs/decisions/0008-hdf5-is-read-by-a-layer-of-its-own.md.
"""

import pathlib
import sys

try:
    import h5py
    import numpy as np
except ImportError as error:
    sys.exit(f'needs the Python packages h5py and numpy: {error}')

folder = pathlib.Path(sys.argv[1])
folder.mkdir(parents=True, exist_ok=True)

# Every array of `arrays` holds 0, 1, 2 … in C order.
STORAGES = {
    'contiguous': {},
    'gzip': dict(chunks=(1, 2, 5), compression='gzip'),
    'shuffle gzip checksum': dict(chunks=(2, 3, 2), compression='gzip', shuffle=True, fletcher32=True),
    'lzf': dict(chunks=(3, 4, 5), compression='lzf', shuffle=True),
    'one chunk': dict(chunks=(3, 4, 5)),
    'one chunk gzip': dict(chunks=(3, 4, 5), compression='gzip'),
    'extensible': dict(chunks=(1, 2, 2), maxshape=(None, 4, 5)),
    'extensible in the middle': dict(chunks=(1, 2, 2), maxshape=(6, None, 8), compression='gzip'),
    'tree': dict(chunks=(1, 2, 2), maxshape=(None, None, 5)),
    'tree gzip': dict(chunks=(1, 2, 2), maxshape=(None, None, 5), compression='gzip'),
    'fixed with room': dict(chunks=(1, 2, 2), maxshape=(10, 10, 10)),
}
LONG = {
    'long extensible': dict(chunks=(1, 3, 2), maxshape=(None, 3, 2), compression='gzip'),
    'long fixed': dict(chunks=(1, 3, 2)),
    'long fixed gzip': dict(chunks=(1, 3, 1), compression='gzip', shuffle=True),
    'long tree': dict(chunks=(1, 3, 2), maxshape=(None, None, 2)),
}


def fill(file, version):
    arrays = file.create_group('arrays')
    small = np.arange(60, dtype='u2').reshape(3, 4, 5)
    for name, how in STORAGES.items():
        arrays.create_dataset(name, data=small, **how)
    for dtype in ['>i4', '<f8', '<f4', '>f4', '<f2', 'i8', 'u1']:
        arrays.create_dataset(dtype.replace('<', 'little ').replace('>', 'big '), data=small.astype(dtype))
    arrays['lzf'][...] = small
    long = np.arange(5000 * 6, dtype='u4').reshape(5000, 3, 2)
    for name, how in LONG.items():
        arrays.create_dataset(name, data=long, **how)
    file['named'] = np.dtype('<u2')
    committed = arrays.create_dataset('committed', small.shape, dtype=file['named'])
    committed[...] = small
    many = file.create_group('many', track_order=True)
    for i in range(3000):
        many.create_group(f'{i * 7919 % 3000:04d}')
    for i in range(300):
        many.attrs[f'a{i}'] = f'value {i} µ'
    many.attrs['long'] = 'x' * 60_000
    if version != 'earliest':
        many.attrs['huge'] = np.arange(200_000)
    file['texts'] = np.array([f'text {i} ' * 20 for i in range(5000)], dtype=object)


for low, high in [('earliest', 'v108'), ('v108', 'v108'), ('v110', 'v110'), ('latest', 'latest'), ('earliest', 'latest')]:
    with h5py.File(folder / f'{low}-{high}.h5', 'w', libver=(low, high)) as file:
        fill(file, low)
with h5py.File(folder / 'user-block.h5', 'w', userblock_size=512) as file:
    fill(file, 'earliest')
print(f'h5py {h5py.__version__}, HDF5 {h5py.version.hdf5_version}: {len(list(folder.glob("*.h5")))} files')
