import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openRotating, scrub } from '../../packages/server/src/cli/log-lines.js';
import { createLog } from '../../packages/server/src/cli/logging.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'acq-log-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const read = (name: string) => readFileSync(join(folder, name), 'utf8');

describe('rotating file', () => {
  it('keeps the newest lines in a limited number of files, each private', () => {
    const file = openRotating(join(folder, 'x.log'), 100, 3);
    for (let i = 0; i < 10; i++) file.write(`${String(i).repeat(39)}\n`);
    file.close();
    expect(readdirSync(folder).sort()).toEqual(['x.log', 'x.log.1', 'x.log.2']);
    // Two lines of 40 bytes fit into 100.
    expect(read('x.log')).toBe(`${'8'.repeat(39)}\n${'9'.repeat(39)}\n`);
    expect(read('x.log.1')).toBe(`${'6'.repeat(39)}\n${'7'.repeat(39)}\n`);
    expect(read('x.log.2')).toBe(`${'4'.repeat(39)}\n${'5'.repeat(39)}\n`);
    for (const name of readdirSync(folder)) expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
  });

  it('continues the file of an earlier process', () => {
    writeFileSync(join(folder, 'x.log'), 'old\n');
    const file = openRotating(join(folder, 'x.log'), 10);
    file.write('new\n');
    expect(read('x.log')).toBe('old\nnew\n');
    file.write('third\n');
    file.close();
    expect(read('x.log')).toBe('third\n');
    expect(read('x.log.1')).toBe('old\nnew\n');
  });

  it('does not rotate again what another process has just rotated', () => {
    const [a, b] = [openRotating(join(folder, 'x.log'), 30), openRotating(join(folder, 'x.log'), 30)];
    a.write('a'.repeat(25));
    b.write('b'.repeat(5));
    a.write('A'.repeat(10));
    b.write('B'.repeat(26));
    expect(read('x.log.1')).toBe(`${'a'.repeat(25)}${'b'.repeat(5)}`);
    expect(read('x.log')).toBe(`${'A'.repeat(10)}${'B'.repeat(26)}`);
    expect(readdirSync(folder)).toHaveLength(2);
    a.close();
    b.close();
  });

  it('writes a line longer than the limit completely', () => {
    const file = openRotating(join(folder, 'x.log'), 10);
    file.write('0123456789abcdef\n');
    file.close();
    expect(read('x.log')).toBe('0123456789abcdef\n');
  });
});

describe('log', () => {
  it('writes JSON lines without the token and with shortened session ids', async () => {
    const log = await createLog({ stateDir: folder, logLevel: 'info', token: 'hush-hush' });
    const id = '0123456789abcdef0123456789abcdef';
    log.logger.info(
      { req: { method: 'GET', url: `/api/v2/sessions/${id}/x`, ip: '127.0.0.1', headers: { a: 1 } } },
      'in',
    );
    log.logger.warn('token hush-hush was shown');
    log.logger.debug('not at this level');
    log.close();
    const lines = read('acqstore.log')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(lines).toHaveLength(2);
    expect(lines[0]).toMatchObject({
      level: 30,
      msg: 'in',
      req: { method: 'GET', url: '/api/v2/sessions/01234567…/x', from: '127.0.0.1' },
    });
    expect(lines[0]?.['req']).not.toHaveProperty('headers');
    expect(lines[1]?.['msg']).toBe('token [token] was shown');
  });

  it('names the instance where the port is known', async () => {
    for (const port of [0, 8767]) {
      const log = await createLog({ stateDir: join(folder, String(port)), logLevel: 'info', token: '', port });
      log.logger.info('started');
      log.close();
      const line = JSON.parse(read(`${port}/acqstore.log`)) as Record<string, unknown>;
      expect(line['instance']).toBe(port === 0 ? undefined : `${hostname()}:8767`);
    }
  });

  it('shortens session ids in the addresses of both versions of the API', () => {
    const id = '0123456789abcdef0123456789abcdef';
    expect(scrub(`/api/v1/session/${id}/channel/calcium`, '')).toBe('/api/v1/session/01234567…/channel/calcium');
    expect(scrub(`/api/v2/sessions/${id}`, '')).toBe('/api/v2/sessions/01234567…');
  });

  it('shortens the ids of uploads in the paths of their private folder', () => {
    const id = '0123456789abcdef0123456789abcdef';
    const own = '0a1b2c3d-42-0a1b2c3d-0123456789abcdef';
    expect(scrub(`open '/state/uploads/${own}/${id}/files/a.tif'`, '')).toBe(
      `open '/state/uploads/${own}/01234567…/files/a.tif'`,
    );
    expect(scrub(`"C:\\\\uploads\\\\${own}\\\\${id}\\\\a"`, '')).toBe(`"C:\\\\uploads\\\\${own}\\\\01234567…\\\\a"`);
  });

  it('does not change other hex strings', () => {
    const line = '{"path":"/data/0123456789abcdef0123456789abcdef.tif"}';
    expect(scrub(line, '')).toBe(line);
  });

  it('continues without a file when the folder cannot be created', async () => {
    writeFileSync(join(folder, 'taken'), '');
    const log = await createLog({ stateDir: join(folder, 'taken', 'state'), logLevel: 'warn', token: '' });
    expect(log.path).toBeUndefined();
    expect(log.problem).toMatch(/ENOTDIR/);
    log.close();
  });
});
