/** A file that the server refuses is refused by `acqstore inspect`, in the same words, and the other way round. */
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { OpenDescription } from '../../packages/client/src/contract/open.js';
import type { RunningServer } from '../../packages/server/src/server/listen.js';
import { Cli } from '../support/cli.js';
import { postOpen } from '../support/open.js';
import { createServer } from '../support/server.js';
import { tempFolder, writeTemp } from '../support/temp.js';
import { type PageSpec, type TagSpec, writeTiff } from '../writers/tiff.js';

interface Answer {
  ok: boolean;
  error?: string;
  message?: string;
}

const folder = tempFolder();
const cli = new Cli();
let server: RunningServer;

beforeAll(async () => {
  server = await createServer({ port: 0, stateDir: folder, decodeWorkers: 1 });
});
afterAll(async () => {
  await server.close();
  await cli.close();
});

const grey = (width: number): PageSpec => ({ width, height: 3, samples: new Uint8Array(3 * width).fill(7) });
/** A page with the value of a tag changed after it was written: no encoder of ours writes what readers refuse. */
function stated(page: PageSpec, code: number, value: number): Uint8Array {
  const bytes = Buffer.from(writeTiff({ pages: [page, grey(6)] }));
  const entry = Buffer.from([code & 255, code >> 8, 3, 0, 1, 0, 0, 0]);
  bytes.writeUInt16LE(value, bytes.indexOf(entry) + entry.length);
  return bytes;
}
const YCBCR: TagSpec = { code: 530, type: 3, values: [2, 1] };
const color: PageSpec = {
  width: 4,
  height: 3,
  samples: [0, 1, 2].map(() => new Uint8Array(12)),
  photometric: 2,
  planar: true,
  tags: [YCBCR],
};

it.each([
  ['jbig.tif', stated(grey(4), 259, 34_661), /^jbig\.tif: page 1 .*JBIG/],
  ['ycbcr.tif', stated(color, 262, 6), /^ycbcr\.tif: page 1 .*YCbCr colors in separate planes/],
])('refuses the undecodable planes of %s with the same message in inspect', async (name, bytes, message) => {
  const path = writeTemp(folder, name, bytes);
  const [status, answer] = await postOpen<Answer>(server.url, { path });
  expect([status, answer.error]).toEqual([415, 'unsupported_format']);
  expect(answer.message).toMatch(message);
  const { code, stdout } = await cli.run(['inspect', '--jsonl', path]);
  expect([code, JSON.parse(stdout)]).toEqual([1, { path: join(folder, name), ...answer }]);
  // Another scene of the file is whole.
  const second = await cli.run(['inspect', '--json', '--scene', '1', path]);
  expect((JSON.parse(second.stdout) as OpenDescription).plane.shape).toEqual([3, 6]);
});
