import { resolve } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { V1_ERROR_STATUS, type V1ErrorCode } from '../../packages/client/src/contract/v1.js';
import { docBlock, markdownTable } from '../support/doc-blocks.js';
import { createServer, type RunningServer } from '../support/server.js';
import { tempFolder } from '../support/temp.js';
import { REPOSITORY } from '../support/test-app.js';
import { openV1 } from '../support/v1.js';

const STALE = 'run: UPDATE_DOCS=1 npx vitest run tests/policy';
const SAMPLE = resolve(REPOSITORY, 'examples/vessel-kymograph.ome.tif');

const MEANING: Record<V1ErrorCode, string> = {
  path_not_found: 'The body has no path, there is no file at it, or the session or its channel does not exist.',
  unsupported_format: 'No reader for this file, or a body that is not an object.',
  channel_out_of_range: 'A channel is negative, not a number, or not in the file; or the role is unknown.',
  calibration_unavailable: 'The file does not give the steps of its lines and pixels.',
  load_timeout: 'Opening took longer than `--open-timeout`.',
  decode_failed: 'The file is corrupted or cannot be read, or the file dialog failed.',
  cancelled: 'The user closed the dialog. This is not a failure.',
  not_implemented: 'Reserved. Never sent.',
};

let server: RunningServer;
beforeAll(async () => {
  server = await createServer({ port: 0, decodeWorkers: 1, stateDir: tempFolder() });
});
afterAll(() => server.close());

it('docs/api-v1.md shows what v1 answers for the sample', async () => {
  const answer = JSON.stringify(await openV1(server.url, { path: SAMPLE }), null, 2)
    .replaceAll(SAMPLE, '/opt/acquisition-store/examples/vessel-kymograph.ome.tif')
    .replaceAll(/[0-9a-f]{32}/g, '5e0b2c7f9a4d4f1f8b36d1c0a97e2f44');
  const wanted = `\`\`\`json\n${answer}\n\`\`\`\n`;
  expect(docBlock('docs/api-v1.md', 'v1-open', wanted), STALE).toBe(wanted);
});

it('docs/api-v1.md lists every code of v1', () => {
  const rows = Object.entries(V1_ERROR_STATUS).map(([code, status]) => [
    `\`${code}\``,
    String(status),
    MEANING[code as V1ErrorCode],
  ]);
  const wanted = markdownTable(['code', 'status', 'meaning'], rows);
  expect(docBlock('docs/api-v1.md', 'v1-errors', wanted), STALE).toBe(wanted);
});
