/** Steps that the caller enters for axes that were measured, or that the file does not have. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openOk } from '../support/open.js';
import { createServer, type RunningServer } from '../support/server.js';
import { tempFolder, writeTemp } from '../support/temp.js';
import { countingPage } from '../support/tiff-cases.js';
import { omeXml } from '../writers/ome.js';
import { writeTiff } from '../writers/tiff.js';

const folder = tempFolder();
let server: RunningServer;
beforeAll(async () => {
  server = await createServer({ port: 0, decodeWorkers: 1, stateDir: folder });
});
afterAll(() => server.close());

/** Six time points with a pause, and an interval that contradicts them. */
const planes = [0, 1, 2, 30, 31, 32].map((time, t) => `<Plane TheC="0" TheT="${t}" TheZ="0" DeltaT="${time}"/>`);
const sizes = { X: 4, Y: 3, T: 6 };
const xml = omeXml({ images: [{ sizes, pixels: { TimeIncrement: 1 }, children: ['<TiffData/>', ...planes] }] });
const ome = [{ code: 270, type: 2, text: xml }];
const measured = writeTemp(
  folder,
  'measured.ome.tif',
  writeTiff({ pages: planes.map((_, i) => countingPage(i, i === 0 ? ome : [])) }),
);
/** A film: its rate is that of playback. */
const film = writeTemp(
  folder,
  'film.tif',
  writeTiff({
    pages: [0, 1, 2].map((i) =>
      countingPage(i, i === 0 ? [{ code: 270, type: 2, text: 'ImageJ=1.54f\nimages=3\nframes=3\nfps=7.0\n' }] : []),
    ),
  }),
);

const T = { step: 0.5, unit: 'seconds' } as const;
const get = async (path: string) => (await fetch(`${server.url}${path}`)).json();

describe('a step that is entered', () => {
  it('replaces measured values everywhere in the session, which is said', async () => {
    const before = await openOk(server.url, { path: measured });
    expect(before.header.coordinates?.T?.uneven).toBe(true);
    expect(before.warnings.join(' ')).toContain('6.4 s');
    const opened = await openOk(server.url, { path: measured, calibration: { T } });
    const session = `/api/v2/sessions/${opened.sessionId}`;
    expect(opened.header.coordinates).toBeUndefined();
    expect(opened.header.physicalUnits[1]).toBe(0.5);
    expect(await get(`${session}/coordinates`)).toMatchObject({ axes: {} });
    expect(await get(`${session}/coordinates?axis=T&as=npy`)).toMatchObject({ error: 'request_validation_failed' });
    const zarr = JSON.stringify(await get(`${session}/0.5.ome.zarr/0/zarr.json`));
    expect(zarr).toContain('"scale":[0.5,1,1,1,1]');
    expect(zarr).not.toMatch(/DeltaT|6\.4 s/);
    expect(opened.warnings).toEqual([
      'The step of T that was entered, 0.5 s, replaces the time stamps (DeltaT) of the time points.',
    ]);
    // What the file says of single planes stays.
    expect((await get(`${session}/planes`)).columns.time).toEqual([0, 1, 2, 30, 31, 32]);
  });

  it('that equals the mean replaces them too', async () => {
    const opened = await openOk(server.url, { path: measured, calibration: { T: { step: 6.4, unit: 'seconds' } } });
    expect(opened.header.coordinates).toBeUndefined();
  });

  it('answers what was said of the step of the file', async () => {
    expect((await openOk(server.url, { path: film })).warnings.join(' ')).toContain('T is in frames');
    expect((await openOk(server.url, { path: film, calibration: { T } })).warnings).toEqual([]);
  });

  it('is said to be ignored where the file does not have the axis', async () => {
    const Z = { step: 3, unit: 'micrometer' } as const;
    const { warnings } = await openOk(server.url, { path: film, calibration: { T, Z } });
    expect(warnings).toEqual(['`calibration.Z` was ignored: the file has one section.']);
  });

  it('holds beside axes that the caller names', async () => {
    const interpret = { axes: { T: 6 } };
    const { warnings } = await openOk(server.url, { path: measured, interpret, calibration: { T } });
    expect(warnings.join(' ')).not.toContain('6.4 s');
  });
});
