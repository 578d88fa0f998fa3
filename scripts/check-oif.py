"""Compares the OIF and OIB fixtures of our own writers with the independent reader `oiffile`, where it is installed.

    ACQSTORE_FIXTURES_DIR=/tmp/fixtures npx vitest run tests/conformance/oif-fixtures.test.ts
    python3 scripts/check-oif.py /tmp/fixtures

The last result is recorded in docs/formats/oif.md.
"""

import hashlib
import json
import pathlib
import sys

try:
    import numpy
    import oiffile
    import tifffile
except ImportError as error:
    sys.exit(f'needs the Python packages oiffile, tifffile and numpy: {error}')

folder = pathlib.Path(sys.argv[1]) / 'oif'
failed = 0
for name, ours in json.loads((folder / 'facts.json').read_text()).items():
    with oiffile.OifFile(folder / name) as oif:
        planes = {}
        for file in oif.filesystem.files():
            stem = file.replace('\\', '/').rsplit('/', 1)[-1]
            if not stem.lower().endswith('.tif') or '-R' in stem or 'Thumb' in stem:
                continue
            with oif.filesystem.open_file(file) as stream:
                try:
                    planes[stem] = tifffile.imread(stream)
                except ValueError as error:
                    planes = None
                    print('unread   ', name, error)
                    break
        if planes is None:
            continue

        def order(stem):
            letters = stem.rsplit('_', 1)[-1][:-4]
            found = {letters[i]: int(letters[i + 1 : i + 4]) for i in range(0, len(letters), 4)}
            return found.get('C', 1), found.get('T', 1), found.get('Z', 1)

        stack = numpy.stack([planes[stem] for stem in sorted(planes, key=order)])
    same = hashlib.sha256(stack.astype('<u2').tobytes()).hexdigest() == ours['sha256']
    size = stack.size == numpy.prod(ours['shape'])
    print('same' if same and size else 'DIFFERENT', name, ours['shape'], 'sum', int(stack.sum(dtype='u8')))
    failed += not (same and size)
print(f'oiffile {oiffile.__version__}: {failed} different')
sys.exit(1 if failed else 0)
