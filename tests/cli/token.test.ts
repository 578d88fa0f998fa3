import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { Cli } from '../support/cli.js';
import { tempFolder } from '../support/temp.js';

describe('acqstore token', () => {
  const cli = new Cli();
  const folder = tempFolder();
  afterAll(() => cli.close());

  it('prints the line for the file, and the token apart from it, which the server then accepts', async () => {
    const options = ['--root', '/data/robot', '--root', '/data/shared', '--expires', '2999-01-01'];
    const { code, stdout, stderr } = await cli.run(['token', 'robot-7', ...options]);
    const token = /^acqs_[\w-]{43}$/m.exec(stderr)?.[0] ?? 'none';
    const sha256 = createHash('sha256').update(token).digest('hex');
    const line = { name: 'robot-7', sha256, roots: ['/data/robot', '/data/shared'], expires: '2999-01-01' };
    expect([code, JSON.parse(stdout)]).toEqual([0, line]);
    expect(stdout.endsWith('}\n')).toBe(true);
    const file = join(folder, 'tokens.jsonl');
    writeFileSync(file, stdout, { mode: 0o600 });
    const server = await cli.serve(['--tokens-file', file]);
    expect(server.stdout).toContain(`  Users   ${file}\n`);
    const answer = await fetch(`${server.url}/api/v2/user`, { headers: { authorization: `Bearer ${token}` } });
    expect(await answer.json()).toMatchObject({ user: { name: 'robot-7' } });
    await server.interrupt();
  });

  it('says what is wrong with a name or a date', async () => {
    const name = await cli.run(['token', 'Ann Example']);
    expect([name.code, name.stdout, name.stderr]).toEqual([2, '', expect.stringContaining('"name" must have 1 to 64')]);
    const date = await cli.run(['token', 'ann', '--expires', 'tomorrow']);
    expect([date.code, date.stderr]).toEqual([2, expect.stringContaining('"expires" must be a date')]);
  });
});
