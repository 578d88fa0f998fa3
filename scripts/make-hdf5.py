"""Writes HDF5 files of every storage and version with h5py, where it is installed, for our reader to read.

    python3 scripts/make-hdf5.py /tmp/hdf5 [random arrays, 1000 without a number]
    ACQSTORE_HDF5_DIR=/tmp/hdf5 npx vitest run tests/unit/hdf5

The last result is recorded in docs/decisions/0008-hdf5-is-read-by-a-layer-of-its-own.md.
"""

import hashlib
import pathlib
import sys

try:
    import h5py
    import numpy as np
except ImportError as error:
    sys.exit(f'needs the Python packages h5py and numpy: {error}')
try:
    import hdf5plugin
except ImportError:
    hdf5plugin = None
    print('without hdf5plugin: no bitshuffle, LZ4, Blosc and Zstandard')

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


def random_filters(rng, dtype):
    """What create_dataset is told; now and then several filters one behind the other."""
    how = {}
    kinds = ['none', 'gzip', 'lzf', 'szip', 'scaleoffset'] + (['bitshuffle', 'lz4', 'blosc', 'zstd'] if hdf5plugin else [])
    kind = rng.choice(kinds)
    if kind == 'scaleoffset':
        how['scaleoffset'] = int(rng.integers(1, 5)) if dtype.kind == 'f' else 0
    elif kind == 'szip':
        how.update(compression='szip', compression_opts=(str(rng.choice(['nn', 'ec'])), int(rng.choice([4, 8, 16, 32]))))
    elif kind in ('gzip', 'lzf'):
        how['compression'] = str(kind)
    elif kind == 'bitshuffle':
        how.update(hdf5plugin.Bitshuffle(nelems=int(rng.choice([0, 64, 1024])), cname=str(rng.choice(['none', 'lz4', 'zstd']))))
    elif kind == 'lz4':
        how.update(hdf5plugin.LZ4(nbytes=int(rng.choice([0, 512]))))
    elif kind == 'blosc':
        how.update(hdf5plugin.Blosc(cname=str(rng.choice(['lz4', 'zstd', 'blosclz', 'zlib'])), shuffle=int(rng.integers(0, 3))))
    elif kind == 'zstd':
        how.update(hdf5plugin.Zstd())
    if rng.random() < 0.3 and kind != 'scaleoffset':
        how['shuffle'] = True
    if rng.random() < 0.3:
        how['fletcher32'] = True
    return how


def random_array(file, rng, name):
    """One array of random type, shape, chunks and filters; False when the library cannot write it."""
    dtype = np.dtype(str(rng.choice(['u1', 'i1', '<u2', '>u2', '<i2', '>i2', '<u4', '>i4', '<u8', '>i8', '<f4', '>f4', '<f8', '>f8'])))
    shape = tuple(int(n) for n in rng.integers(1, 40, rng.integers(1, 4)))
    chunks = tuple(int(rng.integers(1, n + 1)) for n in shape)
    if np.prod(chunks) < 64:
        chunks = shape
    top = int(rng.choice([2, 100, 4096 if dtype.itemsize > 1 else 100]))
    data = rng.integers(0, top, shape).astype(dtype)
    if dtype.kind == 'f':
        data = (data / 8).astype(dtype)
    fill = {} if rng.random() < 0.5 else {'fillvalue': dtype.type(int(rng.integers(0, 100)))}
    precision = int(rng.integers(12, dtype.itemsize * 8 + 1)) if dtype.kind == 'u' and dtype.itemsize > 1 and rng.random() < 0.3 else None
    try:
        if precision:
            low_level(file, name, data, chunks, precision, rng.random() < 0.7)
        else:
            dataset = file.create_dataset(name, shape, dtype, chunks=chunks, **random_filters(rng, dtype), **fill)
            # Some chunks are never written: those beyond a row.
            rows = shape[0] if rng.random() < 0.8 else int(rng.integers(0, shape[0] + 1))
            dataset[:rows] = data[:rows]
        file.flush()
    except (OSError, RuntimeError, ValueError):
        # Szip cannot write chunks that would grow, scale-offset not all types.
        if name in file:
            del file[name]
        return False
    return True


def low_level(file, name, data, chunks, precision, nbit):
    """Numbers with fewer bits than their bytes, with nbit or szip."""
    kind = h5py.h5t.py_create(data.dtype).copy()
    kind.set_precision(precision)
    properties = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    properties.set_chunk(chunks)
    if nbit:
        properties.set_filter(h5py.h5z.FILTER_NBIT)
    else:
        properties.set_szip(h5py.h5z.SZIP_NN_OPTION_MASK, 8)
    space = h5py.h5s.create_simple(data.shape)
    dataset = h5py.h5d.create(file.id, name.encode(), kind, space, properties)
    dataset.write(h5py.h5s.ALL, h5py.h5s.ALL, np.ascontiguousarray(data))


count = int(sys.argv[2]) if len(sys.argv) > 2 else 1000
with h5py.File(folder / 'random.h5', 'w') as file:
    rng = np.random.default_rng(count)
    made = sum(random_array(file, rng, f'a{i}') for i in range(count))
    print(f'{made} of {count} random arrays (seed {count})')
# Opened again: values in the cache have not been through their filter, which may lose digits.
with h5py.File(folder / 'random.h5', 'r+') as file:
    for name in file:
        values = file[name][...]
        little = np.ascontiguousarray(values).astype(values.dtype.newbyteorder('<'))
        file[name].attrs['sha256'] = hashlib.sha256(little.tobytes()).hexdigest()
print(f'h5py {h5py.__version__}, HDF5 {h5py.version.hdf5_version}: {len(list(folder.glob("*.h5")))} files')
