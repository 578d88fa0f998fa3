"""Reads sessions of a running server as OME-Zarr and compares them with independent readers of the files.

    acqstore serve &
    python3 scripts/check-zarr.py http://127.0.0.1:8767 ../shared/samples

The second argument is a folder with EXPECTED.json: sums and SHA-256 of the images of each file. Needs the Python packages
zarr (2 or 3), dask, fsspec and aiohttp; also uses xarray, ome-zarr and napari-ome-zarr when they are installed. The last
result is recorded in docs/ome-zarr-of-any-file.md.
"""

import contextlib
import hashlib
import importlib.metadata
import io
import json
import os
import sys
import urllib.error
import urllib.request

try:
    import dask.array
    import numpy
    import zarr
except ImportError as error:
    sys.exit(f'needs the Python packages zarr, dask, fsspec and aiohttp: {error}')

base, samples = sys.argv[1:3]
only = sys.argv[3:]
MAJOR = int(zarr.__version__.split('.')[0])
# Larger images, with what is computed from them, do not fit in the memory of most machines.
MAX_SAMPLES = 2**27
VERSIONS = ['0.4', '0.5'] if MAJOR >= 3 else ['0.4']
counts = {'images': 0, 'hashes': 0, 'levels': 0, 'skipped': 0}
failures = []


def call(address, body=None, method=None):
    data = None if body is None else json.dumps(body).encode()
    headers = {'Content-Type': 'application/json'} if data else {}
    with urllib.request.urlopen(urllib.request.Request(base + address, data, headers, method=method)) as response:
        return json.loads(response.read())


def installed(package):
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def open_group(url):
    """Opens an image group; zarr 2 needs its own store for HTTP."""
    if MAJOR >= 3:
        return zarr.open_group(url, mode='r')
    return zarr.open_group(zarr.storage.FSStore(url), mode='r')


def facts(array):
    return int(array.min()), int(array.max()), int(array.sum(dtype='i8'))


def compare(name, array, image):
    """Compares the extremes and the sum, and the SHA-256 when the order of the axes is the same."""
    if 'sha256_le_c' not in image or not numpy.issubdtype(array.dtype, numpy.integer):
        counts['skipped'] += 1
        return
    counts['images'] += 1
    expected = tuple(int(image[key]) for key in ('min', 'max', 'sum'))
    if facts(array) != expected:
        failures.append(f'{name}: {facts(array)}, expected {expected}')
    sizes = [size for size in image['shape'] if size > 1]
    ours = [size for size in array.shape if size > 1]
    if ours == sizes and 'S' not in image['axes'] and image['axes'].endswith('YX'):
        counts['hashes'] += 1
        digest = hashlib.sha256(numpy.ascontiguousarray(array).tobytes()).hexdigest()
        # Axes of the same size may be in another order: then only the sums can be compared.
        if digest != image['sha256_le_c'] and len(set(sizes[:-2])) == len(sizes[:-2]):
            failures.append(f'{name}: another SHA-256')


def halved(array):
    """The mean of what exists of 2 x 2, integers rounded half up."""
    rows, columns = array.shape[-2:]
    padded = numpy.pad(array.astype('f8'), [(0, 0)] * 3 + [(0, rows % 2), (0, columns % 2)], constant_values=numpy.nan)
    blocks = padded.reshape(*array.shape[:3], padded.shape[-2] // 2, 2, padded.shape[-1] // 2, 2)
    mean = numpy.nanmean(blocks, axis=(4, 6))
    return numpy.floor(mean + 0.5).astype(array.dtype) if array.dtype.kind in 'iu' else mean.astype(array.dtype)


def check_scene(path, session, scene, image):
    for version in VERSIONS:
        name = f'{path}, scene {scene}, {version}'
        url = f'{base}/api/v2/sessions/{session}/{version}.ome.zarr/{scene}'
        group = open_group(url)
        attributes = dict(group.attrs)
        multiscale = attributes.get('ome', attributes)['multiscales'][0]
        if group['0'].size > MAX_SAMPLES:
            counts['skipped'] += 1
            continue
        whole = group['0'][...]
        if image:
            compare(name, whole, image)
        for above, dataset in zip(multiscale['datasets'], multiscale['datasets'][1:]):
            counts['levels'] += 1
            if group[above['path']].dtype.itemsize < 8 and not numpy.array_equal(
                group[dataset['path']][...], halved(group[above['path']][...])
            ):
                failures.append(f'{name}: level {dataset["path"]} is not the mean of the one above')
        lazy = dask.array.from_zarr(group['0'])
        if not numpy.array_equal(lazy.compute(), whole):
            failures.append(f'{name}: dask reads something else')
        check_others(name, url, version, whole)


def check_others(name, url, version, whole):
    if MAJOR >= 3 and version == '0.5' and installed('xarray'):
        import xarray

        # Levels have other sizes of the same dimensions, so only one array can be a variable.
        array = zarr.open_array(f'{url}/0', mode='r')
        labeled = xarray.DataArray(dask.array.from_zarr(array), dims=array.metadata.dimension_names)
        if labeled.dims != ('t', 'c', 'z', 'y', 'x') or not numpy.array_equal(labeled.values, whole):
            failures.append(f'{name}: xarray reads something else')
    if installed('ome-zarr') and MAJOR >= 3:
        from ome_zarr.io import parse_url
        from ome_zarr.reader import Reader

        nodes = list(Reader(parse_url(url))())
        if not nodes or not numpy.array_equal(numpy.asarray(nodes[0].data[0]), whole):
            failures.append(f'{name}: ome-zarr reads something else')
    if installed('napari-ome-zarr'):
        from napari_ome_zarr import napari_get_reader

        # It prints the attributes.
        with contextlib.redirect_stdout(io.StringIO()):
            layers = napari_get_reader(url)(url)
        data, options, kind = layers[0]
        if kind != 'image' or not numpy.array_equal(numpy.asarray(data[0]), whole):
            failures.append(f'{name}: napari-ome-zarr reads something else')


def main():
    with open(os.path.join(samples, 'EXPECTED.json')) as file:
        expected = json.load(file)['files']
    for path, facts_of_file in expected.items():
        if only and not any(text in path for text in only):
            continue
        images = facts_of_file.get('images') or []
        if path.endswith('.npy'):
            continue
        try:
            opened = call('/api/v2/open', {'path': os.path.abspath(os.path.join(samples, path)), 'decode': 'later'})
        except urllib.error.HTTPError as error:
            print(f'not opened ({json.loads(error.read())["error"]}): {path}')
            continue
        session = opened['sessionId']
        scenes = len(opened['source'].get('scenes', [None]))
        try:
            for scene in range(scenes):
                matching = images[scene] if scenes == len(images) else None
                check_scene(path, session, scene, matching if matching and 'error' not in matching else None)
        except Exception as error:
            failures.append(f'{path}: {type(error).__name__}: {error}')
        call(f'/api/v2/sessions/{session}', method='DELETE')
    packages = ['zarr', 'dask', 'xarray', 'ome-zarr', 'napari-ome-zarr']
    print(', '.join(f'{package} {installed(package)}' for package in packages if installed(package)))
    print(', '.join(f'{name}: {count}' for name, count in counts.items()))
    for failure in failures[:20]:
        print(f'DIFFERENT {failure}')
    print('all the same' if not failures else f'{len(failures)} different')
    sys.exit(1 if failures else 0)


main()
