/** The methods of docs/recipes.md, on line scans whose answers are known. `python/tests/test_docs.py` runs the page as it is. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pythonForClient } from '../support/python.js';
import { PYTHON_CLIENT } from '../support/python-client.js';
import { createServer, type RunningServer } from '../support/server.js';
import { tempFolder, writeTemp } from '../support/temp.js';
import { omeXml } from '../writers/ome.js';
import { writeTiff } from '../writers/tiff.js';

const run = promisify(execFile);
const folder = tempFolder();
const python = pythonForClient();
/** Like the sample of the page. */
const [LINES, PIXELS, SECONDS, MICROMETERS] = [2000, 96, 0.00117, 0.284];
const CHANNELS = ['Calcium', 'Vessel'];

const page = readFileSync(resolve(import.meta.dirname, '../../docs/recipes.md'), 'utf8');
/** Code of the page by its heading. */
const code = new Map(
  page
    .split(/^## /m)
    .map((section): [string, string] => [
      section.split('\n', 1)[0]!,
      [...section.matchAll(/```python\n([\s\S]*?)```/g)].map(([, text]) => text).join('\n'),
    ]),
);

/** Writes a line scan whose channels are the same. */
function writeScan(name: string, sample: (line: number, pixel: number) => number): string {
  const samples = new Uint16Array(LINES * PIXELS);
  for (let line = 0; line < LINES; line++) {
    for (let pixel = 0; pixel < PIXELS; pixel++) samples[line * PIXELS + pixel] = Math.round(sample(line, pixel));
  }
  const period = `<M K="LinePeriod">${SECONDS}</M><M K="LinePeriodUnit">s</M>`;
  const annotation = `<MapAnnotation ID="Annotation:0" Namespace="acquisition-store/line-scan"><Value>${period}</Value></MapAnnotation>`;
  const named = CHANNELS.map((channel, i) => `<Channel ID="Channel:0:${i}" Name="${channel}" SamplesPerPixel="1"/>`);
  const children = [...named, '<TiffData/>'];
  const xml = omeXml({
    images: [{ sizes: { X: PIXELS, Y: LINES, C: 2 }, pixels: { PhysicalSizeX: MICROMETERS }, children }],
    extra: `<StructuredAnnotations>${annotation}</StructuredAnnotations>`,
  }).replace('</Pixels>', '</Pixels><AnnotationRef ID="Annotation:0"/>');
  const plane = { width: PIXELS, height: LINES, samples };
  const first = { ...plane, tags: [{ code: 270, type: 2, text: xml }] };
  return writeTemp(folder, `${name}.ome.tif`, writeTiff({ pages: [first, plane] }));
}

/** Noise that is the same in each run. */
function noise(line: number, pixel: number): number {
  const x = Math.sin(line * 12.9898 + pixel * 78.233) * 43758.5453;
  return x - Math.floor(x) - 0.5;
}

describe.skipIf(python === undefined)('the recipe', () => {
  let server: RunningServer;
  beforeAll(async () => {
    server = await createServer({ port: 0, decodeWorkers: 1, stateDir: folder });
  });
  afterAll(() => server.close());

  async function cook(heading: string, path: string): Promise<number[]> {
    const parts = ['Open the scan', heading, 'When you are done'].map((name) => code.get(name));
    expect(parts).not.toContain(undefined);
    const program = parts.join('\n').replace('"examples/vessel-kymograph.ome.tif"', JSON.stringify(path));
    expect(program).toContain(JSON.stringify(path));
    const env = { ...process.env, ACQSTORE_URL: server.url, PYTHONPATH: join(PYTHON_CLIENT, 'src') };
    const { stdout } = await run(python!, ['-X', 'utf8', '-B', '-c', program], { encoding: 'utf8', env });
    return [...stdout.matchAll(/-?\d+\.?\d*/g)].map(Number);
  }

  it('finds the amplitude and the time of a transient', async () => {
    // From 200 to 300 above a background of 50, with a decay.
    const transient = (line: number) => (line < 600 ? 0 : 0.5 * Math.exp(-(line - 600) / 100));
    const scan = writeScan('calcium', (line, pixel) => {
      const cell = pixel >= 76 && pixel < 92 ? 200 * (1 + transient(line)) : 0;
      return 50 + cell + 4 * noise(line, pixel);
    });
    const [peak, seconds] = (await cook('ΔF/F₀ of a region', scan)).slice(-2);
    expect(Math.abs(peak! - 0.5)).toBeLessThan(0.02);
    expect(Math.abs(seconds! - 600 * SECONDS)).toBeLessThan(5 * SECONDS);
  });

  it.each([300, -200])('finds a velocity of %d µm/s within 3 percent', async (speed) => {
    const pixelsPerLine = (speed * SECONDS) / MICROMETERS;
    const scan = writeScan('velocity', (line, pixel) => {
      const phase = (pixel - pixelsPerLine * line) / 5;
      return 500 + 200 * Math.sin(phase) + 30 * Math.sin(pixel / 3) + 20 * noise(line, pixel);
    });
    const [median, low, high, used, windows] = (await cook('Velocity of blood cells', scan)).slice(-5);
    for (const found of [median, low, high]) expect(Math.abs(found! / speed - 1)).toBeLessThan(0.03);
    expect(used).toBe(windows);
  });

  it('finds the diameter of a vessel that widens', async () => {
    const width = (line: number) => 3 + line / LINES;
    const scan = writeScan('vessel', (line, pixel) => {
      const distance = Math.abs((pixel - 82.3) * MICROMETERS) - width(line) / 2;
      return 100 + 400 / (1 + Math.exp(distance / 0.1)) + 20 * noise(line, pixel);
    });
    const [median, low, high] = (await cook('Diameter of a vessel', scan)).slice(-3);
    expect(Math.abs(median! - 3.5)).toBeLessThan(0.05);
    expect(Math.abs(low! - 3)).toBeLessThan(0.1);
    expect(Math.abs(high! - 4)).toBeLessThan(0.1);
  });
});
