"""Opens one acquisition with the library of its format: its planes as float32, one for each channel, and its scale.

Each reader takes the shortest way that its library offers in public: it maps uncompressed samples instead of reading
them, converts to float32 in one pass, and works on as many threads as there are cores (numpy and the codecs release the
interpreter lock). A plane is that of the first time point, depth and position; where a recording has a single row, its
rows are the time points, as in a line scan.
"""

import math
import os
import pathlib
from concurrent.futures import ThreadPoolExecutor

import numpy

CORES = os.cpu_count() or 1
THREADS = ThreadPoolExecutor(CORES, thread_name_prefix='convert')


def read_planes(path, wanted=None):
    """Returns `(format, stored type, scale, planes)`: C-contiguous float32 arrays of rows and columns.

    `scale` is what the library says on steps and names, as JSON. `wanted` are the indices of the channels to read; `None` stands for all. Raises `LookupError` where no library
    reads the format; what a library raises goes through.
    """
    name = path.lower().rstrip('/')
    for suffixes, label, reader in READERS:
        if name.endswith(suffixes):
            return label, *reader(path, wanted)
    raise LookupError('no library of the reference reads this format')


def choose(axes, sizes):
    """Returns `(rows, columns, channels)`: the axes that a plane and its channels lie on.

    Rows are the last axis with more than one step in front of the columns that is no channel.
    """
    channels = 'C' if 'C' in axes else 'S' if 'S' in axes else None
    columns = 'X'
    longer = [axis for axis in axes if axis not in ('X', 'C', 'S') and sizes[axis] > 1]
    rows = 'Y' if sizes.get('Y', 1) > 1 or not longer else longer[-1]
    return rows, columns, channels


def slices(array, axes, wanted):
    """Returns a view of two axes for each channel of `array`, whose axes are named by `axes`."""
    axes = tuple(axes)
    sizes = dict(zip(axes, array.shape))
    rows, columns, channels = choose(axes, sizes)
    count = sizes[channels] if channels else 1
    views = []
    for channel in range(count) if wanted is None else wanted:
        if not 0 <= channel < count:
            raise IndexError(f'channel {channel} of {count}')
        at = {channels: channel, rows: slice(None), columns: slice(None)}
        view = array[tuple(at.get(axis, 0) for axis in axes)]
        views.append(view if axes.index(rows) < axes.index(columns) else view.T)
    return views


def to_float32(views):
    """Converts each view into a new array in one pass, all cores at work: bands of rows where there is one plane."""
    planes = [numpy.empty(view.shape, '<f4') for view in views]
    bands = max(1, CORES // len(planes))
    jobs = []
    for view, plane in zip(views, planes):
        step = max(1, math.ceil(len(plane) / bands))
        for row in range(0, len(plane), step):
            jobs.append(THREADS.submit(numpy.copyto, plane[row : row + step], view[row : row + step], 'unsafe'))
    for job in jobs:
        job.result()
    return planes


def read_tiff(path, wanted):
    import tifffile

    with tifffile.TiffFile(path) as tif:
        series = tif.series[0]
        tags = tif.pages.first.tags
        scale = {name: tags[name].value for name in ('XResolution', 'YResolution') if name in tags}
        scale |= {'unit': tif.imagej_metadata.get('unit')} if tif.imagej_metadata else {}
        if series.dataoffset is not None:
            # All samples lie one behind the other: mapped, not read.
            dtype = numpy.dtype(f'{tif.byteorder}{series.dtype.char}')
            array = numpy.memmap(path, dtype, 'r', series.dataoffset, series.shape)
            return series.dtype.name, scale, to_float32(slices(array, series.axes, wanted))
        return series.dtype.name, scale, read_pages(series, wanted)


def read_pages(series, wanted):
    """Decodes only the pages of the planes, chunk by chunk into the float32 array."""
    sizes = dict(zip(series.axes, series.shape))
    page_axes = series.axes[len(series.axes) - len(series.keyframe.shape) :]
    rows, columns, channels = choose(tuple(series.axes), sizes)
    if 'S' in page_axes or rows not in page_axes:
        # Channels inside a page, or rows that are pages: the whole series, and views of it.
        return to_float32(slices(series.asarray(maxworkers=CORES), series.axes, wanted))
    before = series.axes[: len(series.axes) - len(page_axes)]
    count = sizes[channels] if channels else 1
    chosen = range(count) if wanted is None else wanted
    pages = []
    for channel in chosen:
        if not 0 <= channel < count:
            raise IndexError(f'channel {channel} of {count}')
        index = 0
        for axis in before:
            index = index * sizes[axis] + (channel if axis == channels else 0)
        pages.append(series.pages[index])
    return [decode_page(page) for page in pages]


def decode_page(page):
    plane = numpy.zeros(page.shape, '<f4')

    def put(segment):
        data, (_, _, row, column, _), (_, rows, columns, _) = segment
        if data is not None:
            target = plane[row : row + rows, column : column + columns]
            numpy.copyto(target, data[0, : target.shape[0], : target.shape[1], 0], 'unsafe')

    for _ in page.segments(func=put, maxworkers=CORES):
        pass
    return plane


def read_czi(path, wanted):
    import czifile

    with czifile.CziFile(path, memmap=True) as czi:
        image = next(iter(czi.scenes.values()))
        sizes = image.sizes
        rows, _, channels = choose(tuple(sizes), sizes)
        start = dict(zip(image.dims, image.start))
        first = {axis: start[axis] for axis in sizes if axis not in (rows, channels, 'X', 'Y', 'S')}
        chosen = image(**first) if first else image
        # One thread composes mapped tiles faster than several, which are for codecs.
        raw = image.compression == czifile.CziCompressionType.UNCOMPRESSED
        array = chosen.asarray(maxworkers=1 if raw else CORES)
        root = czi.xml_element
        found = [] if root is None else root.iterfind('.//Scaling/Items/Distance')
        scale = {entry.get('Id'): entry.findtext('Value') for entry in found}
        return image.dtype.name, scale, to_float32(slices(array, chosen.dims, wanted))


def read_nd2(path, wanted):
    import nd2

    with nd2.ND2File(path) as file:
        sizes = file.sizes
        scale = {'steps': list(file.voxel_size())}
        if sizes.get('Y', 1) > 1:
            # The first frame is a view of the mapped file: channels, rows, columns.
            frame = file.read_frame(0)
            axes = [axis for axis in sizes if axis in 'CYXS']
            frame = frame.reshape([sizes[axis] for axis in axes])
            return file.dtype.name, scale, to_float32(slices(frame, axes, wanted))
        return file.dtype.name, scale, to_float32(slices(file.asarray(), tuple(sizes), wanted))


def read_oir(path, wanted):
    import oirfile

    with oirfile.OirFile(path, memmap=True) as file:
        scale = {'steps': file.coord_scales, 'units': file.coord_units}
        return file.dtype.name, scale, to_float32(slices(file.asarray(), file.dims, wanted))


def read_lif(path, wanted):
    import liffile

    with liffile.LifFile(path, memmap=True) as file:
        image = file.images[0]
        scale = {'sizes': image.sizes, 'name': image.name}
        return image.dtype.name, scale, to_float32(slices(image.asarray(out='memmap'), image.dims, wanted))


def read_oif(path, wanted):
    import oiffile

    with oiffile.OifFile(path) as file:
        array = file.asarray()
        return array.dtype.name, {}, to_float32(slices(array, file.axes, wanted))


def read_zarr(path, wanted):
    import zarr

    # Chunks are decoded by the Rust codecs of zarrs, which is faster than what zarr brings along.
    zarr.config.set({'codec_pipeline.path': 'zarrs.ZarrsCodecPipeline'})
    group = zarr.open_group(pathlib.Path(path), mode='r')
    attributes = dict(group.attrs)
    multiscales = attributes.get('ome', attributes)['multiscales'][0]
    array = group[multiscales['datasets'][0]['path']]
    axes = tuple(axis['name'].upper() for axis in multiscales['axes'])
    sizes = dict(zip(axes, array.shape))
    rows, columns, channels = choose(axes, sizes)
    keep = [axis for axis in axes if axis in (rows, columns, channels)]
    part = array[tuple(slice(None) if axis in keep else 0 for axis in axes)]
    return array.dtype.name, {'datasets': multiscales['datasets']}, to_float32(slices(part, keep, wanted))


READERS = [
    (('.zarr',), 'OME-Zarr', read_zarr),
    (('.tif', '.tiff', '.lsm'), 'TIFF', read_tiff),
    (('.czi',), 'CZI', read_czi),
    (('.nd2',), 'ND2', read_nd2),
    (('.oir',), 'OIR', read_oir),
    (('.lif',), 'LIF', read_lif),
    (('.oib', '.oif'), 'OIB/OIF', read_oif),
]
