import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ZARR_VERSIONS } from '../../packages/readers/src/derive/zarr/versions.js';
import { openOk } from '../support/open.js';
import { createServer, type RunningServer } from '../support/server.js';
import { tempFolder, writeTemp } from '../support/temp.js';
import { writeOir } from '../writers/oir.js';
import { lineScan } from '../writers/oir-kinds.js';
import { exportTo } from './support.js';

const folder = tempFolder();
const SCAN = writeTemp(folder, 'scan.oir', writeOir(lineScan(2_100, 18, 64)));

let server: RunningServer;
beforeAll(async () => {
  server = await createServer({ port: 0, decodeWorkers: 1, stateDir: folder });
});
afterAll(() => server.close());

/** Removes what only a session has: the revision of its files. */
function withoutRevision(text: string): unknown {
  return JSON.parse(text, (key, value) => (key === 'revision' ? undefined : value));
}

/** True for the document of the root that repeats those below it. */
function isConsolidated(key: string): boolean {
  return key === '.zmetadata' || key === 'zarr.json';
}

it.each(ZARR_VERSIONS)('an export has the keys and bytes that the server sends (%s)', async (version) => {
  const output = await exportTo(folder, `${version}.ome.zarr`, {
    path: SCAN,
    format: 'ome-zarr',
    options: { zarr: version },
  });
  const { sessionId } = await openOk(server.url, { path: SCAN, decode: 'later' });
  const entries = readdirSync(output, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const keys = entries.map((entry) => join(entry.parentPath, entry.name).slice(output.length + 1));
  expect(keys.filter((key) => /\/0\/0\/0\/\d+\/\d+$/.test(key)).length).toBeGreaterThan(2);
  // The server has the only scene in the group `0`. What the root of an export has beside it is consolidated there, too.
  const inScene = keys.filter((key) => !key.startsWith('OME/') && !isConsolidated(key));
  for (const key of [...inScene, 'OME/METADATA.ome.xml']) {
    const served = inScene.includes(key) ? `0/${key}` : key;
    const response = await fetch(`${server.url}/api/v2/sessions/${sessionId}/${version}.ome.zarr/${served}`);
    expect([served, response.status]).toEqual([served, 200]);
    const [sent, written] = [Buffer.from(await response.arrayBuffer()), readFileSync(join(output, key))];
    if (/\.json$|\/?\.z[a-z]+$/.test(key)) {
      expect(withoutRevision(written.toString()), key).toEqual(withoutRevision(sent.toString()));
    } else expect(written.equals(sent), key).toBe(true);
  }
});
