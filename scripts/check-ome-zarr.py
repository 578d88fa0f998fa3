"""Compares our reader with the independent library `zarr` (zarr-python), which writes the stores: every sample type, byte
order, order of samples, compressor and filter of Zarr 2, in chunks of several shapes.

    npm run build
    python3 scripts/check-ome-zarr.py

The last result is recorded in docs/formats/ome-zarr.md.
"""

import hashlib
import itertools
import json
import pathlib
import subprocess
import sys
import tempfile

try:
    import numcodecs
    import numpy
    import zarr
    from numcodecs import LZ4, Blosc, Delta, GZip, Shuffle, Zlib, Zstd
except ImportError as error:
    sys.exit(f'needs the Python packages zarr (2.13 to 2.18), numcodecs and numpy: {error}')

READER = """
const { createHash } = await import('node:crypto');
const { openAcquisition } = await import(process.argv[1] + '/open.js');
const { NativeTarget } = await import(process.argv[1] + '/samples/plane-target.js');
for (const path of process.argv.slice(2)) {
  const opened = await openAcquisition(path);
  const { sampleType, sizes: { T, Z, Y, X }, channels, warnings } = opened.acquisition.info.scenes[0];
  const hash = createHash('sha256');
  for (let t = 0; t < T; t++) for (let channel = 0; channel < channels.length; channel++) for (let z = 0; z < Z; z++) {
    const target = new NativeTarget(sampleType, Y, X);
    await opened.acquisition.readPlane({ scene: 0, channel, t, z }, target);
    hash.update(new Uint8Array(target.data.buffer));
  }
  opened.close();
  console.log(hash.digest('hex'), warnings.length);
}
"""

TYPES = ['|b1', '|u1', '|i1', '<u2', '>u2', '<i2', '>i4', '<u4', '<f4', '>f4', '<f8', '>f8', '<i8', '>u8', '<f2', '>f2']
COMPRESSORS = [
    None,
    *(Blosc(name, 5, shuffle) for name in ('lz4', 'lz4hc', 'zstd', 'zlib', 'blosclz') for shuffle in (0, 1, 2)),
    Zlib(1),
    GZip(1),
    Zstd(1),
    LZ4(),
]
SHAPE = (2, 2, 3, 37, 53)
CHUNKS = [(1, 1, 1, 16, 20), (2, 1, 3, 37, 53), (1, 2, 1, 10, 60)]
AXES = [{'name': name, 'type': {'t': 'time', 'c': 'channel'}.get(name, 'space')} for name in 'tczyx']

random = numpy.random.default_rng(3)
dist = pathlib.Path(__file__).resolve().parent.parent / 'packages' / 'server' / 'dist'
failed = total = 0


def filters_of(dtype, compressor):
    yield None
    if compressor is None or isinstance(compressor, Zlib):
        yield [Shuffle(numpy.dtype(dtype).itemsize)]
        if dtype[1:] not in ('b1', 'f2'):
            yield [Delta(dtype=dtype)]


def write(path, number, dtype, order, compressor, filters):
    separator = './'[number % 2]
    kind = zarr.NestedDirectoryStore if separator == '/' else zarr.DirectoryStore
    group = zarr.group(store=kind(path), overwrite=True)
    fill = (0, 1, None)[number % 3]
    options = {'compressor': compressor, 'filters': filters, 'order': order, 'fill_value': fill}
    layout = {'shape': SHAPE, 'chunks': CHUNKS[number % 3], 'dtype': dtype, 'dimension_separator': separator}
    array = group.create_dataset('0', **layout, **options)
    values = random.integers(0, 2, SHAPE) if dtype == '|b1' else random.normal(100, 20, SHAPE)
    array[:] = values.astype(dtype)
    group.attrs['multiscales'] = [{'version': '0.4', 'axes': AXES, 'datasets': [{'path': '0'}]}]
    stored = array[:]
    # Truth values are served as 0 and 1, half floats as float32.
    served = stored.astype('u1' if stored.dtype == bool else '<f4' if dtype[1:] == 'f2' else stored.dtype.newbyteorder('<'))
    return hashlib.sha256(numpy.ascontiguousarray(served).tobytes()).hexdigest()


for dtype in TYPES:
    with tempfile.TemporaryDirectory() as folder:
        wanted = {}
        for order, compressor in itertools.product('CF', COMPRESSORS):
            for filters in filters_of(dtype, compressor):
                path = f'{folder}/{len(wanted)}.ome.zarr'
                wanted[path] = write(path, len(wanted), dtype, order, compressor, filters), (order, compressor, filters)
        command = ['node', '--input-type=module', '-e', READER, str(dist), *wanted]
        ours = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
        for (digest, what), line in zip(wanted.values(), ours, strict=True):
            same = line == f'{digest} 0'
            total += 1
            failed += not same
            if not same:
                print('DIFFERENT', dtype, *what)
    print(dtype, len(wanted), 'stores')
print(json.dumps({'zarr': zarr.__version__, 'numcodecs': numcodecs.__version__, 'stores': total, 'different': failed}))
sys.exit(1 if failed else 0)
