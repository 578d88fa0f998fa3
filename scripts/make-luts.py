"""Writes packages/viewer/src/luts/matplotlib-tables.ts: 256 colours each of viridis, magma, inferno, plasma, cividis and turbo.

    python3 scripts/make-luts.py            # needs the Python package matplotlib
    npx biome check packages/viewer/src/luts

The colours are those of matplotlib's `_cm_listed.py`: viridis, magma, inferno and plasma by S. van der Walt, N. Smith and
E. Firing (CC0 1.0), cividis by J. R. Nunez, C. R. Anderton and R. S. Renslow (PLoS ONE 13, e0199239, 2018; CC0 1.0),
turbo by A. Mikhailov (Google, Apache-2.0; a table of numbers). A byte is round(255 * value), as in the published hex codes.
"""

import pathlib
import sys

try:
    import numpy
    from matplotlib import colormaps
except ImportError as error:
    sys.exit(f'needs the Python package matplotlib: {error}')

NAMES = ['viridis', 'magma', 'inferno', 'plasma', 'cividis', 'turbo']
target = pathlib.Path(__file__).parent.parent / 'packages' / 'viewer' / 'src' / 'luts' / 'matplotlib-tables.ts'

lines = [
    '/**',
    ' * Written by scripts/make-luts.py. 256 colors each: red, then green, then blue, as the first value in two hexadecimal',
    ' * digits and the steps to the next values as letters, N for 0. Steps are small, so that the page becomes smaller.',
    ' */',
    'export const MATPLOTLIB_TABLES = {',
]
for name in NAMES:
    colours = numpy.asarray(colormaps[name].colors)
    assert colours.shape == (256, 3), (name, colours.shape)
    table = numpy.rint(255 * colours).astype(int)
    text = ''
    for channel in table.T:
        steps = numpy.diff(channel)
        # Letters only.
        assert -13 <= steps.min() and steps.max() <= 12, name
        text += f'{channel[0]:02x}' + ''.join(chr(ord('N') + step) for step in steps)
    lines += [f'  {name}:', f"    '{text}',"]
lines += ['} as const;', '']
target.write_text('\n'.join(lines))
