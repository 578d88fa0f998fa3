import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { REPOSITORY, SAMPLE } from '../support/cli.js';
import { describeWithPrograms } from '../support/desktop.js';
import { createServer, type RunningServer } from '../support/server.js';
import { tempFolder } from '../support/temp.js';

const folder = tempFolder();
const read = (page: string) => readFileSync(join(REPOSITORY, page), 'utf8');

describe('the pages of clients', () => {
  it.each(['docs/client.md', 'docs/python.md', 'docs/matlab.md', 'docs/fiji.md', 'docs/clients.md'])(
    '%s tells the same five steps',
    (page) => {
      const steps = [...read(page).matchAll(/^(\d)\. (.*(?:\n {3}.*)*)/gm)].slice(0, 5);
      expect(steps.map(([, number]) => number)).toEqual(['1', '2', '3', '4', '5']);
      const words = [/[Ss]tart the server.*`acqstore serve`/, /[Oo]pen/, /metadata/, /planes/, /close/i];
      for (const [i, pattern] of words.entries()) expect(steps[i]?.[2]?.replace(/\s+/g, ' '), page).toMatch(pattern);
    },
  );
});

describeWithPrograms('the program for any language in docs/clients.md', ['curl', 'sh'], () => {
  let server: RunningServer;
  beforeAll(async () => {
    server = await createServer({ port: 0, decodeWorkers: 1, stateDir: folder });
  });
  afterAll(() => server.close());

  it('reads a part and a plane, and closes the session', async () => {
    const [, program = ''] = /```sh\n([\s\S]*?)```/.exec(read('docs/clients.md')) ?? [];
    const local = program.replace('http://127.0.0.1:8767', server.url).replace('/data/scan.tif', SAMPLE);
    const { stdout } = await promisify(execFile)('sh', ['-euc', local], { cwd: folder });
    const lines = stdout.trim().split('\n');
    expect(lines[0]).toBe('[4000,96]');
    expect(lines.slice(1, 3).map((line) => line.trim())).toEqual(['384000 part.f32', '1536000 plane.f32']);
    expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({ ok: true, deleted: true });
  });
});
