/** Recordings in several files on the command line. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import type { OpenResponse } from '../../packages/client/src/contract/open.js';
import { Cli } from '../support/cli.js';
import { writeSplitRecording } from '../support/split-recording.js';
import { tempFolder, writeTemp } from '../support/temp.js';
import { ndSet } from '../writers/metamorph-nd.js';

const folder = tempFolder();
const path = writeSplitRecording(folder);
const cli = new Cli();
afterAll(() => cli.close());

it('inspect says in one line what a file is a part of', async () => {
  const { code, stdout } = await cli.run(['inspect', path]);
  expect(code).toBe(0);
  expect(stdout).toMatch(
    /^recording +file 2 of 3: 2 more files look like parts of this recording \(along T, by frame numbers\)\. --parts all opens all\.$/m,
  );
  expect(stdout).toMatch(/^ *T +4 /m);
});

it('inspect --parts all describes the whole', async () => {
  const { stdout } = await cli.run(['inspect', path, '--parts', 'all']);
  expect(stdout).toMatch(/^recording +3 files, along T, by frame numbers$/m);
  expect(stdout).toMatch(/^ *T +10 /m);
  const { stdout: json } = await cli.run(['inspect', path, '--parts', 'all', '--json']);
  const { parts, header } = JSON.parse(json) as OpenResponse;
  expect([parts, header.sizes['T']]).toEqual(['all', 10]);
});

it('export --parts all writes all frames', async () => {
  const out = join(folder, 'out');
  const { code } = await cli.run(['export', path, '--parts', 'all', '--to', 'npy', '--time', '8', '--out', `${out}/`]);
  expect(code).toBe(0);
  const name = readdirSync(out).find((file) => file.endsWith('.npy'));
  const bytes = readFileSync(join(out, name!));
  // The samples of an int16 array of 2 × 4 end the file.
  expect(bytes.readInt16LE(bytes.length - 16)).toBe(9);
});

it('inspect names the file that describes a set', async () => {
  const set = tempFolder();
  for (const [name, bytes] of Object.entries(ndSet({ stem: 'a', waves: ['DAPI', 'GFP'], times: 2 }))) {
    writeTemp(set, name, bytes);
  }
  const { stdout } = await cli.run(['inspect', join(set, 'a_w1DAPI_t2.TIF')]);
  expect(stdout).toMatch(/^recording +file 3 of 4: 3 more files .* \(along T, C, by a\.nd\)/m);
});

it('refuses another word', async () => {
  const { code, stderr } = await cli.run(['inspect', path, '--parts', 'some']);
  expect([code, stderr]).toEqual([2, expect.stringContaining('one, all')]);
});
