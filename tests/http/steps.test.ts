/** Steps that no axis can have, from files and from requests, over HTTP. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { OpenResponse } from '../../packages/client/src/contract/open.js';
import type { RunningServer } from '../../packages/server/src/server/listen.js';
import { postOpen } from '../support/open.js';
import { createServer } from '../support/server.js';
import { tempFolder } from '../support/temp.js';
import { countingPage, description } from '../support/tiff-cases.js';
import { writeCzi } from '../writers/czi.js';
import { cziXml, stack } from '../writers/czi-kinds.js';
import { omeXml } from '../writers/ome.js';
import { writeTiff } from '../writers/tiff.js';

const folder = tempFolder();
let server: RunningServer;
beforeAll(async () => {
  server = await createServer({ port: 0, stateDir: folder, decodeWorkers: 1 });
});
afterAll(() => server.close());

async function open(path: string, calibration?: object): Promise<{ status: number; json: OpenResponse & Failure }> {
  const [status, json] = await postOpen<OpenResponse & Failure>(server.url, {
    path,
    ...(calibration ? { calibration } : {}),
  });
  return { status, json };
}

interface Failure {
  error: string;
  message: string;
  details: { location: string[]; type: string }[];
}

function omeTiff(name: string, pixels: Record<string, string | number>): string {
  const path = join(folder, `${name}.ome.tif`);
  const xml = omeXml({ images: [{ sizes: { X: 4, Y: 3 }, pixels }] });
  writeFileSync(path, writeTiff({ pages: [countingPage(0, [description(xml)])] }));
  return path;
}

describe('unusable steps of a file', () => {
  it.each(['1e-320', '5e-324', '1e-7', '1e16', '1e300'])(
    'are ignored with a warning: an OME-TIFF with a pixel size of %s µm',
    async (size) => {
      const { status, json } = await open(omeTiff(`x${size}`, { PhysicalSizeX: size, PhysicalSizeY: 0.5 }));
      expect(status).toBe(200);
      expect(json.plane.axes.map(({ step, unit }) => [step, unit])).toEqual([
        [0.5, 'micrometer'],
        [1, 'Pixels'],
      ]);
      expect(json.header.calibration.at(-1)).toBe('default');
      const shown = String(Number(size));
      expect(json.warnings).toEqual([
        expect.stringContaining(`${shown} µm is not a valid step; the axis is in Pixels`),
      ]);
    },
  );

  it('are ignored with a warning: a CZI file with a denormal scaling and interval', async () => {
    const dimensions = '<T><Positions><Interval><Increment>1E-310</Increment></Interval></Positions></T>';
    const um = { X: 0.1, Y: 0.2, Z: 7 };
    const xml = cziXml({ um, channels: ['A', 'B'], dimensions }).replace('7E-06', '1E-318');
    const path = join(folder, 'denormal.czi');
    writeFileSync(path, writeCzi({ ...stack(2, 3), xml }));
    const { json } = await open(path);
    expect(json.header.dims).toEqual(['C', 'T', 'Z', 'Y', 'X']);
    expect(json.header.physicalUnits).toEqual([1, 1, 1, 0.2, 0.1]);
    expect(json.header.physicalUnitsLabels).toEqual(['Channels', 'Frames', 'Planes', 'micrometer', 'micrometer']);
    expect(json.warnings).toContainEqual(
      'T step: `Increment` says 1e-310 s, which is not a valid step; it was ignored.',
    );
    expect(json.warnings).toContainEqual(
      'Z step: the scaling says 1e-312 µm, which is not a valid step; it was ignored.',
    );
  });
});

describe('a step in a request', () => {
  it.each([
    [1e-320, 'seconds', '1e-15 and 1e15 for seconds'],
    [1e16, 'seconds', '1e-15 and 1e15 for seconds'],
    [1e-320, 'micrometer', '1e-6 and 1e15 for micrometer'],
    [1e-16, 'Pixels', '1e-15 and 1e15 for Pixels'],
  ])('is refused when it is %s %s', async (step, unit, range) => {
    const path = omeTiff('plain', {});
    const { status, json } = await open(path, { Y: { step, unit } });
    expect([status, json.error]).toEqual([422, 'request_validation_failed']);
    expect(json.message).toBe(`\`calibration.Y.step\` must be between ${range}`);
    expect(json.details).toMatchObject([{ location: ['body', 'calibration', 'Y', 'step'], type: 'step_out_of_range' }]);
  });

  it.each([
    [1e-15, 'seconds'],
    [1e15, 'Pixels'],
    [1e-6, 'micrometer'],
  ])('is accepted when it is %s %s', async (step, unit) => {
    const { status, json } = await open(omeTiff('plain', {}), { Y: { step, unit } });
    expect(status).toBe(200);
    expect(json.plane.axes[0]).toMatchObject({ step, unit });
  });
});
