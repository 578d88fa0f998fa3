"""Compares the analysis of a running server with numpy, scipy and scikit-image.

    acqstore serve &
    python3 scripts/check-analysis.py http://127.0.0.1:8767 /data/scan.tif

Needs the Python packages numpy, scipy and scikit-image. The last result is recorded in docs/analysis.md.
"""

import json
import sys
import urllib.request

try:
    import numpy
    from scipy import ndimage
    from skimage.measure import profile_line
except ImportError as error:
    sys.exit(f'needs the Python packages numpy, scipy and scikit-image: {error}')

base, path = sys.argv[1:3]
failed = 0


def call(address, body=None):
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(base + address, data, {'Content-Type': 'application/json'} if data else {})
    with urllib.request.urlopen(request) as response:
        content = response.read()
        if response.headers['Content-Type'].startswith('application/json'):
            return json.loads(content)
        shape = [int(size) for size in (response.headers['X-Array-Shape'] or '-1').split(',')]
        return numpy.frombuffer(content, '<f4').reshape(shape)


def compare(name, largest, limit):
    global failed
    good = bool(largest <= limit)
    failed += not good
    print(f'{"same" if good else "DIFFERENT":10} {name}: largest difference {largest:.3g}, allowed {limit:.3g}')


def relative(a, b):
    a, b = numpy.asarray(a, 'f8'), numpy.asarray(b, 'f8')
    same_nan = numpy.array_equal(numpy.isnan(a), numpy.isnan(b))
    scale = numpy.nanmax(numpy.abs(b)) or 1
    return numpy.nanmax(numpy.abs(a - b), initial=0) / scale if same_nan else numpy.inf


def cells(window, height, width):
    rows, columns = window.shape
    out = numpy.full((3, height, width), numpy.nan)
    for i in range(height):
        for j in range(width):
            part = window[i * rows // height : (i + 1) * rows // height, j * columns // width : (j + 1) * columns // width]
            part = part[numpy.isfinite(part)].astype('f8')
            if part.size:
                out[:, i, j] = part.min(), part.max(), part.mean()
    return out


opened = call('/api/v2/open', {'path': path})
channel = f'/api/v2/sessions/{opened["sessionId"]}/channels/{opened["channels"][0]["index"]}'
plane = call(f'{channel}/data').reshape(opened['plane']['shape'])
rows, columns = plane.shape
r0, r1, c0, c1 = rows // 7, rows - rows // 9, columns // 5, columns - columns // 6
part = plane[r0:r1, c0:c1]
window = f'rows={r0}:{r1}&columns={c0}:{c1}'
finite = part[numpy.isfinite(part)].astype('f8')

compare('window', 0 if numpy.array_equal(call(f'{channel}/window?{window}&every=3,2'), part[::3, ::2], True) else 1, 0)
percents = [0, 0.1, 1, 25, 50, 63.2, 99, 99.9, 100]
query = ','.join(str(percent) for percent in percents)
result = call(f'{channel}/statistics?{window}&percentiles={query}&bins=256')
compare('counts', abs(result['finite'] - finite.size) + abs(result['nan'] - int(numpy.isnan(part).sum())), 0)
compare('min and max', abs(result['min'] - finite.min()) + abs(result['max'] - finite.max()), 0)
compare('mean', relative(result['mean'], finite.mean()), 2e-15)
compare('std', relative(result['std'], finite.std()), 1e-12)
compare('sum', relative(result['sum'], finite.sum()), 2e-15)
values = [entry['value'] for entry in result['percentiles']]
compare('percentiles', relative(values, numpy.percentile(finite, percents)), 0)
counts, edges = numpy.histogram(finite, 256)
compare('histogram counts', numpy.abs(counts - result['histogram']['counts']).max(), 0)
compare('histogram edges', relative(result['histogram']['edges'], edges), 1e-15)
height, width = min(97, r1 - r0), min(31, c1 - c0)
ours, theirs = call(f'{channel}/overview?{window}&height={height}&width={width}'), cells(part, height, width)
compare('overview extremes', relative(ours[:2], theirs[:2]), 0)
compare('overview means', relative(ours[2], theirs[2]), 1e-7)
body = {'along': 'Y', 'regions': [{'columns': [c0, c1]}], 'every': 5}
trace = call(f'{channel}/traces', body)[0]
theirs = [numpy.nanmean(numpy.where(numpy.isfinite(p), p, numpy.nan).astype('f8')) for p in
          (plane[i : i + 5, c0:c1] for i in range(0, rows, 5))]
compare('trace', relative(trace, theirs), 1e-7)
plane = plane[: min(rows, 4000)]
start, end = (2, 1), (plane.shape[0] * 0.6, plane.shape[1] - 2.25)
ours = call(f'{channel}/profile', {'points': [start, end], 'width': 5})
theirs = profile_line(plane.astype('f8'), start, end, linewidth=5, order=1, mode='constant', cval=numpy.nan,
                      reduce_func=numpy.nanmean)
compare('profile of width 5', relative([numpy.nan if v is None else v for v in ours['values']], theirs), 2e-12)
ours = call(f'{channel}/profile', {'points': [start, end, (1, 3.5)]})
theirs = ndimage.map_coordinates(plane.astype('f8'), [ours['rows'], ours['columns']], order=1)
compare('profile of a polyline', relative([numpy.nan if v is None else v for v in ours['values']], theirs), 2e-12)
sys.exit(1 if failed else 0)
