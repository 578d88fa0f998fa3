"""Compares OIR files of the test writer with what the Python package oirfile reads from them.

usage: python3 scripts/check-oir.py FOLDER

FOLDER holds OIR files and expected.json, a list of {file, shape, dtype, sha256, reference, lineRoi}; shape in the
order time, wavelength, depth, channel, line, pixel without axes of length 1. tests/unit/oir/independent.test.ts
writes such a folder and runs this script. Ends with status 3 when oirfile is not installed, 1 when anything differs.
"""

import hashlib
import json
import os
import sys

try:
    import numpy
    import oirfile
except ImportError as error:
    print(f'not checked: {error}')
    sys.exit(3)


def facts(array):
    data = numpy.ascontiguousarray(array)
    return {
        'shape': list(data.shape),
        'dtype': str(data.dtype),
        'sha256': hashlib.sha256(data.tobytes()).hexdigest(),
    }


def check(folder, expected):
    """Differences between a file and what was written into it."""
    with oirfile.OirFile(os.path.join(folder, expected['file'])) as oir:
        found = facts(oir.asarray())
        reference = oir.reference
        found['reference'] = None if reference is None else facts(reference.asarray())
        roi = None if reference is None else reference.line_roi
        found['lineRoi'] = None if roi is None else list(roi)
    return [
        f'{key}: oirfile reads {found[key]}, written was {expected[key]}'
        for key in ('shape', 'dtype', 'sha256', 'reference', 'lineRoi')
        if found[key] != expected[key]
    ]


def main():
    folder = sys.argv[1]
    with open(os.path.join(folder, 'expected.json'), encoding='utf-8') as handle:
        files = json.load(handle)
    failures = 0
    for expected in files:
        differences = check(folder, expected)
        failures += bool(differences)
        print(f"{expected['file']}: {'; '.join(differences) or 'equal'}")
    print(f'oirfile {oirfile.__version__}: {len(files) - failures} of {len(files)} files equal')
    sys.exit(1 if failures else 0)


if __name__ == '__main__':
    main()
