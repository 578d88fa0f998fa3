/** The bench beside other servers runs from one end to the other, and all servers serve the same bytes. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, expect, it } from 'vitest';
import { prepareReference } from '../../bench/beside/python.mjs';

const script = join(import.meta.dirname, '../../bench/beside/run.mjs');
const SECTIONS = [
  'First opens',
  'Early opens',
  'Open, first plane, all planes',
  'Growth',
  'Bytes of a plane by curl',
  'Many clients at once',
  'Beside a bare server in Node',
  'GET /health while four clients open',
  'Memory',
];

const folder = mkdtempSync(join(tmpdir(), 'bench-peer-'));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it('npm run bench -- --beside --quick --peer DIR compares three servers and a bare one, which serve the same bytes', async (context) => {
  const reference = prepareReference();
  if ('reason' in reference) {
    console.warn(`SKIPPED: the bench beside the reference server was not run: ${reference.reason}`);
    context.skip();
    return;
  }
  // The reference server stands in for the peer.
  const command = [reference.python, join(script, '../server.py'), '{port}'];
  writeFileSync(join(folder, 'peer.json'), JSON.stringify({ command }));
  const { stdout } = await promisify(execFile)(process.execPath, [script, '--quick', '--peer', folder]);
  expect(stdout).toContain('The peer is the Python server that ours replaces (`--peer`, no commit, API v2).');
  const sections = stdout.split(/^### /m).slice(1);
  expect(sections.map((section) => section.split('\n')[0])).toEqual(SECTIONS);
  // A head, a line below it, and one row for each thing that was measured.
  for (const section of sections) expect(section.match(/^\|/gm)?.length).toBeGreaterThan(2);
  const titled = sections.filter((section) =>
    /^\| .* \| age, s: ours \/ reference \/ peer( \/ nginx| \/ bare)? \|$/m.test(section),
  );
  expect(titled).toHaveLength(SECTIONS.length - 1);
  const compared = [...stdout.matchAll(/^\| [^|]+ \| \d+ \| (same|.*?differs[^|]*|–) \|/gm)].map((row) => row[1]);
  // A dash stands where no other server opens the file.
  expect(compared.filter((bytes) => bytes !== 'same' && bytes !== '–')).toEqual([]);
  expect(compared.filter((bytes) => bytes === 'same').length).toBeGreaterThanOrEqual(11);
});
