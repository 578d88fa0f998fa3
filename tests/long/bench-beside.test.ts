/** The bench beside the reference server in Python runs from one end to the other, and both servers serve the same bytes. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const script = join(import.meta.dirname, '../../bench/beside/run.mjs');
const SECTIONS = [
  'Open, first plane, all planes',
  'Growth',
  'Bytes of a plane by curl',
  '16 clients at once',
  'GET /health while four clients open',
  'First opens of a fresh process',
  'Memory',
];

it('npm run bench -- --beside --quick compares both servers, which serve the same bytes', async (context) => {
  const { stdout } = await promisify(execFile)(process.execPath, [script, '--quick'], { encoding: 'utf8' });
  const skipped = /^SKIPPED: (.*)$/m.exec(stdout);
  if (skipped) {
    console.warn(`SKIPPED: the bench beside the reference server was not run: ${skipped[1]}`);
    context.skip();
  }
  const sections = stdout.split(/^### /m).slice(1);
  expect(sections.map((section) => section.split('\n')[0])).toEqual(SECTIONS);
  // A head, a line below it, and one row for each thing that was measured.
  for (const section of sections) expect(section.match(/^\|/gm)?.length).toBeGreaterThan(2);
  const compared = [...stdout.matchAll(/^\| [^|]+ \| \d+ \| (same|differs[^|]*|–) \|/gm)].map((row) => row[1]);
  // A dash stands where the reference does not open the file.
  expect(compared.filter((bytes) => bytes !== 'same' && bytes !== '–')).toEqual([]);
  expect(compared.filter((bytes) => bytes === 'same').length).toBeGreaterThanOrEqual(11);
});
