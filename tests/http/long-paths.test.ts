import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { LIMITS } from '../../packages/readers/src/base/limits.js';
import { Cli, type Running } from '../support/cli.js';

let cli: Cli;
let server: Running & { url: string };
let root: string;
beforeAll(async () => {
  cli = new Cli();
  root = join(cli.stateHome, 'data');
  mkdirSync(root);
  server = await cli.serve(['--root', root]);
});
afterAll(() => cli.close());

async function ask(path: string): Promise<{ status: number; error: string; message: string; details: unknown }> {
  const response = await fetch(`${server.url}/api/v2/open`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ path }),
  });
  return { status: response.status, ...((await response.json()) as { error: string; message: string; details: null }) };
}

/** An absolute path of exactly `bytes` bytes. */
const pathOf = (start: string, part: string, bytes: number) =>
  `${(start + part.repeat(bytes)).slice(0, bytes - 6).replace(/\/$/, 'x')}/s.tif`;

it.each(['/a', '/..', '/', '/./b'])('refuses 60 KB of %j before any look-up', async (part) => {
  for (const start of ['', root]) {
    const answer = await ask(pathOf(start, part, 60_000));
    const message = `\`path\` is 60,000 bytes long; the limit is ${LIMITS.pathBytes.toLocaleString('en-US')}`;
    expect(answer).toMatchObject({ status: 422, error: 'request_validation_failed', message });
    expect(answer.details).toEqual([{ location: ['body', 'path'], message, type: 'string_too_long' }]);
  }
  const log = readFileSync(join(cli.stateDir, 'acqstore.log'), 'utf8');
  for (const line of log.split('\n')) expect(line.length).toBeLessThan(2_000);
});

it('limits paths in bytes, not characters', async () => {
  expect(await ask(`/${'é'.repeat(LIMITS.pathBytes / 2)}`)).toMatchObject({ status: 422 });
});

it.each(['/a', '/..'])('looks up the longest allowed path of %j', async (part) => {
  const outside = await ask(pathOf('', part, LIMITS.pathBytes));
  expect([outside.status, outside.error]).toEqual([403, 'path_not_allowed']);
  const inside = await ask(pathOf(root, '/a', LIMITS.pathBytes));
  expect([inside.status, inside.error]).toEqual([404, 'path_not_found']);
});
