/** What the page before this one did, and what it lacked: each point has a test that would miss it. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const FOLDER = resolve(import.meta.dirname, '../..');

/** Test files below tests/, and words of their tests. */
type Proof = readonly [file: string, title: string];

const POINTS: readonly (readonly [point: string, ...proofs: Proof[]])[] = [
  [
    'header: versions, health and documentation of the server itself',
    ['viewer/app/page', 'starts with what it can do'],
  ],
  [
    'opening: dialog, path, recent files, sample, dropped text, choice of channels, cancel',
    ['viewer/app/page', 'says what is missing when there is no dialog'],
    ['viewer/app/page', 'remembers what was opened'],
    ['viewer/app/page', 'takes the text of a path dropped anywhere'],
    ['viewer/app/page', 'loads the channels that are wanted'],
    ['viewer/app/page', 'lets a running request be cancelled'],
  ],
  [
    'status: a cancelled dialog is no error; errors say what to do',
    ['viewer/app/page', 'is quiet about a cancelled dialog'],
    ['viewer/app/page', 'tells an error with its code'],
  ],
  [
    'session: deleted with its tab and page, renewed in view, opened again when it has ended',
    ['viewer/app/page', 'ends a session with its tab'],
    ['viewer/app/page', 'are renewed in view'],
    ['viewer/app/page', 'that have ended are opened again'],
  ],
  ['capabilities: formats and limits are shown', ['viewer/app/page', 'starts with what it can do']],
  [
    'planes: progress, abort, sizes and byte order are checked',
    ['viewer/app/page', 'shows how far a transfer is'],
    ['client/plane-body', 'refuses fewer and more bytes than announced'],
    ['client/plane-body', 'swaps the bytes on a big-endian machine'],
  ],
  [
    'orientation: transposed when it is drawn, never copied',
    ['viewer/render/browser', 'magnified, every sample is a rectangle of its own'],
    ['viewer/e2e/looking', 'in all four ways that it can lie'],
  ],
  ['panes: the divider is worked by keys and remembered', ['viewer/e2e/measuring', 'the divider is moved by keys']],
  [
    'heading: size and steps; switches are remembered',
    ['viewer/image/readout', 'a heading'],
    ['viewer/e2e/remembering', 'switches stay as they were left'],
  ],
  [
    'scan path: drawn, hidden, and linked with the pointer in both directions',
    ['viewer/e2e/measuring', 'the place under the pointer is marked on the line, and the other way round'],
    ['viewer/measure/scan-path', 'prefers the path to the line'],
  ],
  ['cards: named as the file names its channels', ['viewer/app/page', 'shows the sample: channels']],
  [
    'color tables: exact, inverted, turbo among them',
    ['viewer/luts/luts', 'fire has the colors of ImageJ'],
    ['viewer/render/browser', 'the ends of every table, inverted too'],
  ],
  [
    'histogram: of every sample; logarithm, gamma, reset, the same for all',
    ['viewer/analysis/stats', 'of whole numbers are exact'],
    ['viewer/contrast/panel', 'draws logarithms of counts'],
    ['viewer/contrast/panel', 'sets full range, reset, and the same for all'],
  ],
  [
    'contrast: NaN and clipped samples have colors of their own',
    ['viewer/e2e/looking', 'NaN and infinities have their own color'],
    ['viewer/contrast/panel', 'tells what is clipped and what is no number'],
  ],
  [
    'composite: of any number of channels, with opacities',
    ['viewer/e2e/looking', 'a composite adds the colors of all visible channels'],
  ],
  ['wheel: at the pointer, one axis, sideways', ['viewer/image/cards', 'zooms one axis with shift or alt']],
  ['pinch', ['viewer/image/cards', 'pinches: what is between two fingers stays there']],
  ['drag on square samples', ['viewer/image/cards', 'zooms a box on an image of square samples']],
  ['drag on a kymograph: one axis', ['viewer/e2e/looking', 'a drag along time zooms to what it covered']],
  [
    'pan, home, limits; by keys as well',
    ['viewer/image/cards', 'pans with shift, the middle button, space'],
    ['viewer/image/cards', 'does everything by keys'],
    ['viewer/image/viewport', 'never loses the image'],
  ],
  [
    'scale: no jump when a long scan at home is zoomed',
    ['viewer/image/viewport', 'goes from home to a tenth of its scale in no jump'],
  ],
  [
    'fit: filled, square, or the true shape',
    ['viewer/image/viewport', 'draws a sample that is twice as high as wide so'],
  ],
  [
    'drawing: any length, dense screens, no spike lost, fluent',
    ['viewer/render/browser', 'a spike and a gap of one sample in a long scan are seen at home'],
    ['viewer/render/browser', 'a picture larger than one part is drawn whole'],
    ['viewer/image/cards', 'draws each device pixel of a dense screen'],
  ],
  [
    'axes: ticks of the part in view, at any zoom',
    ['viewer/image/ticks', 'names each place once and never overlaps, whatever the range'],
  ],
  [
    'saving: every sample a pixel, figures, numbers with calibration',
    ['viewer/e2e/saving', 'PNG with a pixel a sample: the color of every one'],
    ['viewer/e2e/saving', '.npy: its header and every byte of the plane'],
    ['viewer/e2e/saving', 'TIFF: read by the server'],
    ['viewer/e2e/saving', 'CSV: every sample at its time and position'],
  ],
  ['JSON: all of it, fresh, with copies', ['viewer/app/page', 'shows all of it as JSON, with copies']],
  [
    'keys and screen readers',
    ['viewer/e2e/access', 'opens, zooms, reads out, sets the contrast, measures, saves and closes'],
    ['viewer/e2e/access', 'the focus is always seen, and goes round without a trap'],
    ['viewer/e2e/access', 'axe-core, in %s colors'],
  ],
  ['pointers: drags go to the tool that is chosen', ['viewer/image/cards', 'hands drags to a tool']],
  [
    'new: values under the pointer, scale bars, profiles, regions, velocities, links, colors of the page, tabs, undo, reconnecting',
    ['viewer/e2e/looking', 'zoomed by keys shows every sample exactly, and tells it under the pointer'],
    ['viewer/image/ticks', 'has no scale bar of less than a sample without calibration'],
    ['viewer/e2e/measuring', 'the profile at the cursor is the column of the plane'],
    ['viewer/e2e/measuring', 'a region that is drawn has the statistics of its samples'],
    ['viewer/e2e/measuring', 'a line has the velocity that a calculation by hand gives'],
    ['viewer/e2e/saving', 'a link brings back the part, the contrast and the marks'],
    ['viewer/app/page', 'remembers the colors'],
    ['viewer/app/page', 'keeps several acquisitions apart'],
    ['viewer/image/cards', 'undoes and redoes'],
    ['viewer/app/page', 'of a server that went and came back are opened again'],
  ],
];

describe('points of the page before', () => {
  it('are 29', () => expect(POINTS.length).toBe(29));

  it.each(POINTS.map(([point, ...proofs]) => ({ point, proofs })))('$point', ({ proofs }) => {
    for (const [file, title] of proofs) {
      const text = readFileSync(resolve(FOLDER, `${file}.test.ts`), 'utf8');
      const titles = [...text.matchAll(/\b(?:it|describe)(?:\.\w+(?:<[^>]*>)?\([\s\S]*?\))*\(\s*(['`])(.*?)\1/g)].map(
        (match) => match[2],
      );
      expect(
        titles.some((one) => one?.includes(title)),
        `${file}: ${title}`,
      ).toBe(true);
    }
  });
});
