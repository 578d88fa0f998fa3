"""Compares exports of acquisitions with each other, as numpy, tifffile and zarr read them.

    python3 scripts/check-export.py "node packages/server/dist/cli/main.js" /data/scan.czi /data/stack.nd2

Each file is exported as npy, ome-tiff (stored and compressed) and ome-zarr (0.4 and 0.5, stored and compressed). The arrays
of all must be equal. Needs the Python packages numpy and tifffile; zarr 2 or 3 for ome-zarr (Zarr 2 reads 0.4 only). The last
result is recorded in docs/export.md.
"""

import glob
import json
import os
import shlex
import subprocess
import sys
import tempfile

try:
    import numpy
    import tifffile
except ImportError as error:
    sys.exit(f'needs the Python packages numpy and tifffile: {error}')
try:
    import zarr
except ImportError:
    zarr = None
    print('NO zarr: ome-zarr was not checked')

command = shlex.split(sys.argv[1])
failed = compared = 0


def export(path, out, *options):
    result = subprocess.run([*command, 'export', path, '--quiet', '--out', out, *options], capture_output=True, text=True)
    return None if result.returncode == 0 else result.stderr.strip()


def scenes_of_npy(folder):
    """Arrays by the index of their scene, with what their JSON files say."""
    found = {}
    for path in glob.glob(os.path.join(folder, '**', '*.npy'), recursive=True):
        with open(path[:-4] + '.json') as file:
            about = json.load(file)
        found[about['source']['scene']['index']] = (numpy.load(path, mmap_mode='r'), about)
    return [found[index] for index in sorted(found)]


def compare(name, actual, expected):
    global failed, compared
    compared += 1
    good = actual.dtype == expected.dtype and actual.shape == expected.shape and numpy.array_equal(
        actual, expected, equal_nan=expected.dtype.kind == 'f'
    )
    if not good:
        failed += 1
        print(f'DIFFERENT {name}: {actual.dtype} {actual.shape}, expected {expected.dtype} {expected.shape}')


def check_tiff(name, path, scenes):
    with tifffile.TiffFile(path) as tif:
        if not tif.is_ome or len(tif.series) != len(scenes):
            compare(f'{name}: {len(tif.series)} series', numpy.zeros(0), numpy.zeros(1))
            return
        pages = iter(tif.pages)
        for index, (array, about) in enumerate(scenes):
            t, c, z, y, x = array.shape
            # Pages go through Z, then C, then T: the order of the array.
            plane = numpy.stack([next(pages).asarray() for _ in range(t * c * z)]).reshape(array.shape)
            compare(f'{name} scene {index}', plane, array)
            compare(f'{name} series {index}', tif.series[index].asarray().reshape(array.shape), array)
        pixels = tifffile.xml2dict(tif.ome_metadata)['OME']['Image']
        first = (pixels[0] if isinstance(pixels, list) else pixels)['Pixels']
        header = scenes[0][1]['header']
        step, unit = header['physicalUnits'][-1], header['physicalUnitsLabels'][-1]
        if unit == 'micrometer' and first.get('PhysicalSizeX') != step:
            compare(f'{name}: PhysicalSizeX {first.get("PhysicalSizeX")}, expected {step}', numpy.zeros(0), numpy.zeros(1))


def check_zarr(name, path, scenes):
    for index, (array, _) in enumerate(scenes):
        # One scene is at the root.
        group = zarr.open_group(path if len(scenes) == 1 else os.path.join(path, str(index)), mode='r')
        compare(f'{name} scene {index}', group['0'][...], array)


for path in sys.argv[2:]:
    name = os.path.basename(path)
    with tempfile.TemporaryDirectory() as folder:
        at = lambda *parts: os.path.join(folder, *parts)
        problem = export(path, at('npy') + '/', '--to', 'npy')
        if problem:
            print(f'skipped {name}: {problem}')
            continue
        scenes = scenes_of_npy(at('npy'))
        for compress in [], ['--compress', 'gzip']:
            label = f'{name} {"gzip" if compress else "stored"}'
            problem = export(path, at('out.ome.tif'), '--to', 'ome-tiff', '--overwrite', *compress)
            if problem:
                print(f'no ome-tiff of {name}: {problem}')
            else:
                check_tiff(f'{label} ome-tiff', at('out.ome.tif'), scenes)
            for version in ['0.4', '0.5'] if zarr else []:
                if version == '0.5' and int(zarr.__version__.split('.')[0]) < 3:
                    continue
                problem = export(path, at('out.ome.zarr'), '--to', 'ome-zarr', '--overwrite', '--zarr', version, *compress)
                if problem:
                    failed += 1
                    print(f'FAILED {label} {version}: {problem}')
                else:
                    check_zarr(f'{label} ome-zarr {version}', at('out.ome.zarr'), scenes)
        print(f'{name}: {len(scenes)} scene(s), {compared} arrays compared so far, {failed} different')

versions = ', '.join(f'{module.__name__} {module.__version__}' for module in [numpy, tifffile, zarr] if module)
print(f'{versions}: {compared} arrays compared, {failed} different')
sys.exit(failed > 0)
