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
    ['viewer/app/page', 'starts with a page that shows what it can open'],
  ],
  [
    'opening: dialog, path, recent files, sample, dropped text, choice of channels, cancel',
    ['viewer/app/page', 'lists folders when there is no file dialog'],
    ['viewer/app/page', 'remembers opened files until they are removed from the list'],
    ['viewer/app/page', 'opens a dropped path, and says what is wrong with a dropped file'],
    ['viewer/e2e/getting-in', 'opens a dropped file where it lies, when the server finds it'],
    ['viewer/app/page', 'loads only the chosen channels'],
    ['viewer/app/page', 'lets the user cancel a running request'],
  ],
  [
    'status: a cancelled dialog is no error; errors say what to do',
    ['viewer/app/page', 'shows no error for a canceled dialog'],
    ['viewer/app/page', 'shows an error with its code and keeps what was open'],
  ],
  [
    'session: deleted with its tab and page, renewed in view, opened again when it has ended',
    ['viewer/app/page', 'ends a session with its tab, and all sessions when the page closes'],
    ['viewer/app/sessions', 'are renewed while visible, before they end'],
    ['viewer/app/sessions', 'are opened again after they have ended, and the page stays the same'],
  ],
  ['capabilities: formats and limits are shown', ['viewer/app/page', 'starts with a page that shows what it can open']],
  [
    'planes: progress, abort, sizes and byte order are checked',
    ['viewer/app/page', 'shows the progress of a transfer, and keeps loaded channels when it is canceled'],
    ['client/plane-body', 'refuses fewer and more bytes than expected'],
    ['client/plane-body', 'swaps the bytes on a big-endian machine'],
  ],
  [
    'orientation: transposed when it is drawn, never copied',
    ['viewer/render/browser', 'magnified, every sample is a rectangle of its own'],
    ['viewer/e2e/looking', 'in all four ways that it can lie'],
  ],
  [
    'panes: the edge of the sidebar is worked by keys and remembered',
    ['viewer/e2e/composition', 'folds the sidebar to a strip, and keeps the width that was dragged'],
  ],
  [
    'heading: size and steps; switches are remembered',
    ['viewer/image/readout', 'a heading'],
    ['viewer/e2e/remembering', 'keeps the switches of line scans and of images separately'],
  ],
  [
    'scan path: drawn, hidden, and linked with the pointer in both directions',
    ['viewer/e2e/measuring', 'marks the position under the pointer on the line scan and on the reference'],
    ['viewer/measure/scan-path', 'is used instead of the line, and is null without a length'],
  ],
  [
    'cards: named as the file names its channels',
    ['viewer/app/page', 'shows the channels, details and session of the sample'],
  ],
  [
    'color tables: exact, inverted, turbo among them',
    ['viewer/luts/luts', 'fire has the colors of ImageJ at every eighth index and is linear between them'],
    ['viewer/render/browser', 'draws the ends of every table, also inverted, and clips values'],
  ],
  [
    'histogram: of every sample; logarithm, gamma, reset, the same for all',
    ['viewer/analysis/stats', 'are exact for whole numbers'],
    ['viewer/contrast/panel', 'draws counts or their logarithms as heights of the bars'],
    ['viewer/contrast/panel', 'sets the full range, resets it and applies it to all'],
  ],
  [
    'contrast: NaN and clipped samples have colors of their own',
    ['viewer/e2e/looking', 'shows NaN and infinities in their own color and by name'],
    ['viewer/contrast/panel', 'shows how many samples are clipped or not finite'],
  ],
  [
    'composite: of any number of channels, with opacities',
    ['viewer/e2e/looking', 'adds the colors of all visible channels by opacity in a composite'],
  ],
  [
    'wheel: at the pointer, one axis, sideways',
    ['viewer/image/cards', 'zooms one axis with Shift or Alt, and moves with a horizontal wheel'],
  ],
  ['pinch', ['viewer/image/cards', 'keeps the image between two pinching fingers']],
  ['drag on square samples', ['viewer/image/cards', 'zooms a box on an image of square samples']],
  [
    'drag on a kymograph: one axis',
    ['viewer/e2e/looking', 'zooms to a dragged time range, and keeps the sample under the pointer with the wheel'],
  ],
  [
    'pan, home, limits; by keys as well',
    ['viewer/image/cards', 'pans with Shift, the middle button, Space and the pan tool, within the image'],
    ['viewer/image/cards', 'can be used by keys alone'],
    ['viewer/image/viewport', 'never leaves the image'],
  ],
  [
    'scale: no jump when a long scan at home is zoomed',
    ['viewer/image/viewport', 'does not jump: one notch out from home stays at home'],
  ],
  [
    'fit: filled, square, or the true shape',
    ['viewer/image/viewport', 'draws a sample twice as high as wide when it is'],
  ],
  [
    'drawing: any length, dense screens, no spike lost, fluent',
    ['viewer/render/browser', 'shows a spike and a gap of one sample in a long scan at home'],
    ['viewer/render/browser', 'draws a picture that is larger than one part'],
    ['viewer/image/cards', 'draws each device pixel of a dense screen'],
  ],
  [
    'axes: ticks of the part in view, at any zoom',
    ['viewer/image/ticks', 'have unique labels that never overlap, for any range'],
  ],
  [
    'saving: every sample a pixel, figures, numbers with calibration',
    ['viewer/e2e/saving', 'is saved as PNG with the color of every sample'],
    ['viewer/e2e/saving', 'is saved as .npy with its header and every byte of the plane'],
    ['viewer/e2e/saving', 'is saved as TIFF, which the server reads back with every byte'],
    ['viewer/e2e/saving', 'is saved as CSV with every sample at its time and position'],
  ],
  [
    'JSON: all of it, fresh, with copies',
    ['viewer/app/page', 'shows the open response, header and session as JSON, and copies them'],
  ],
  [
    'keys and screen readers',
    ['viewer/e2e/access', 'opens, zooms, reads out, sets the contrast, measures, saves and closes'],
    ['viewer/e2e/access', 'shows the focus everywhere and never traps it'],
    ['viewer/e2e/access', 'has no problem that axe-core finds in %s colors'],
  ],
  [
    'pointers: drags go to the tool that is chosen',
    ['viewer/image/cards', 'passes drags to a tool in plane coordinates, and clips what is drawn over the image'],
  ],
  [
    'new: values under the pointer, scale bars, profiles, regions, velocities, links, colors of the page, tabs, undo, reconnecting',
    ['viewer/e2e/looking', 'shows every sample exactly when zoomed by keys, and reads it out'],
    ['viewer/image/ticks', 'draws no scale bar shorter than a sample without calibration'],
    ['viewer/e2e/measuring', 'has the column of the plane as profile, aligned with the image'],
    ['viewer/e2e/measuring', 'has the statistics and profile of a drawn region'],
    ['viewer/e2e/measuring', 'has the signed velocity of a line, as computed by hand'],
    ['viewer/e2e/saving', 'has a link that restores view, contrast and marks'],
    ['viewer/app/page', 'remembers the theme'],
    ['viewer/app/page', 'switches between several acquisitions by pointer and keys'],
    ['viewer/image/cards', 'undoes and redoes a series of wheel turns as one step'],
    ['viewer/app/sessions', 'are opened again after a restart of the server'],
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
