/** The page answers what the server answers. */
import { writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createClient, type OpenedAcquisition } from '../../packages/client/src/index.js';
import { createServer } from '../../packages/server/dist/index.js';
import { chromiumPath } from '../support/browser.js';
import { REPOSITORY } from '../support/cli.js';
import { chromium } from '../support/engines/chromium.js';
import type { Engine } from '../support/engines/types.js';
import { buildPage, PageHost } from '../support/page-host.js';
import { tempFolder } from '../support/temp.js';
import { stackFile } from '../support/viewer-stack.js';

const folder = tempFolder();
const host = new PageHost(join(folder, 'page'));
const FILES = { 'a line scan': join(REPOSITORY, 'examples', 'vessel-kymograph.ome.tif'), 'a stack': stackFile(folder) };

/** Calls of an acquisition, as text that is run on both sides. */
const CALLS = [
  'plane(0)',
  'nativePlane(1)',
  'rows(0, 3, 4)',
  'window(0, { rows: [2, 9], columns: [1, 8], every: [2, 3] })',
  'nativeWindow(1, { rows: [0, 5] })',
  'overview(0, { height: 4, width: 3 })',
  'statistics(0, { bins: 16, percentiles: [1, 50, 99.9] })',
  'statistics(1, { rows: [2, 9], bins: 4, range: [0, 100] })',
  'profile(0, { points: [[1, 1], [5.5, 7.25]], width: 3 })',
  'profileArrays(0, { points: [[0, 0], [9, 9], [20, 3]] })',
  "traces(0, { along: 'Y', regions: [{ columns: [1, 5] }, { columns: [0, 9] }], every: 2 })",
  'coordinates()',
  'planes()',
  'metadata()',
] as const;
const OF_STACKS = [
  'plane(0, { t: 2 })',
  "traces(0, { along: 'T', regions: [{ rows: [1, 5], columns: [2, 6] }], statistic: 'max' })",
] as const;
const REFUSED = [
  'window(0, { rows: [5, 5] })',
  'overview(0, { rows: [5, 90_000] })',
  'profile(0, { points: [[1, 1], [1, 1]] })',
  "traces(0, { along: 'Y', regions: [{ rows: [0, 1] }] })",
] as const;

const CHOICES = [{}, { channelIndices: [1] }, { calibration: { X: { step: 0.5, unit: 'micrometer' } } }] as const;
const CHOICES_OF_STACKS = [
  { selection: { T: 1 } },
  { projection: { T: 'max' } },
  { projection: { T: 'mean' } },
] as const;

/** JavaScript that makes plain lists of arrays, and takes away what names a session or a place. */
const PLAIN = `(value) => JSON.parse(JSON.stringify(value, (key, part) =>
  ['sessionId', 'dataUrl', 'revision', 'path', 'zarr', 'decode'].includes(key) ? undefined :
  ArrayBuffer.isView(part) ? Array.from(part, (number) => Number.isFinite(number) ? number : String(number)) : part))`;
const plain = new Function(`return ${PLAIN}`)() as (value: unknown) => unknown;

const attempt = async (acquisition: OpenedAcquisition, call: string) => {
  const run = new Function('acquisition', `return acquisition.${call}`) as (of: OpenedAcquisition) => Promise<unknown>;
  return run(acquisition).then(plain, ({ code, message }) => ({ code, message }));
};

describe.runIf(chromiumPath() !== undefined)('the page and the server', () => {
  let server: Awaited<ReturnType<typeof createServer>>;
  let engine: Engine;
  beforeAll(async () => {
    await buildPage(join(folder, 'page'));
    server = await createServer({ port: 0, decodeWorkers: 1, stateDir: join(folder, 'state') });
    engine = await chromium.start();
    await engine.page.goto(`${await host.start()}/blank`);
  }, 120_000);
  afterAll(async () => {
    await engine?.close();
    await server?.close();
    host.stop();
  });

  /** Runs calls in the page, or only opens without calls. */
  function inPage(path: string, choice: object, calls: readonly string[]): Promise<unknown[]> {
    return engine.page.evaluate(`(async () => {
      const { openFiles } = await import('/readers.js');
      const plain = ${PLAIN};
      const data = await (await fetch(${JSON.stringify(host.add(path))})).blob();
      const acquisition = await openFiles([{ path: ${JSON.stringify(basename(path))}, data }], ${JSON.stringify(choice)});
      const results = [plain(acquisition.info)];
      for (const call of [${calls.map((call) => `() => acquisition.${call}`).join(', ')}]) {
        results.push(await call().then(plain, ({ code, message }) => ({ code, message })));
      }
      await acquisition.close();
      return results;
    })()`);
  }

  async function onServer(path: string, choice: object, calls: readonly string[]): Promise<unknown[]> {
    const client = createClient({ baseUrl: server.url });
    const acquisition = await client.open({ path, ...choice });
    const results = [plain(acquisition.info)];
    for (const call of calls) results.push(await attempt(acquisition, call));
    await acquisition.close();
    return results;
  }

  describe.each(Object.entries(FILES))('of %s', (name, path) => {
    const isStack = name === 'a stack';

    it.each([...CALLS, ...(isStack ? OF_STACKS : [])])('answer %s alike', async (call) => {
      const [, expected] = await onServer(path, {}, [call]);
      expect(expected).not.toHaveProperty('code');
      expect((await inPage(path, {}, [call]))[1]).toEqual(expected);
    });

    it.each(REFUSED)('refuse %s alike', async (call) => {
      const [, expected] = await onServer(path, {}, [call]);
      expect(expected).toHaveProperty('code');
      expect((await inPage(path, {}, [call]))[1]).toEqual(expected);
    });

    it.each([...CHOICES, ...(isStack ? CHOICES_OF_STACKS : [])])('open with %o alike', async (choice) => {
      expect(await inPage(path, choice, ['plane(1)'])).toEqual(await onServer(path, choice, ['plane(1)']));
    });
  });

  it('refuse what is not an acquisition for the same reason', async () => {
    const path = join(folder, 'notes.tif');
    writeFileSync(path, 'These are notes.');
    const refused = await createClient({ baseUrl: server.url })
      .open({ path })
      .catch(({ message }: Error) => message);
    expect(refused).toContain('not that of a .tif file');
    expect(await inPage(path, {}, []).catch((error: Error) => error.message)).toContain(refused);
  });
});
