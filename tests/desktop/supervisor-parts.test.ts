import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createAutostart, quoteArgument } from '../../packages/desktop/src/supervisor/autostart.js';
import { ServerLog } from '../../packages/desktop/src/supervisor/log.js';
import { listenerInodes, parseLsof } from '../../packages/desktop/src/supervisor/port-owner.js';
import { findFaults } from '../../packages/desktop/src/supervisor/settings.js';
import { hideSecrets } from '../../packages/desktop/src/supervisor/support-bundle.js';
import { tempFolder } from '../support/temp.js';

const folder = tempFolder();

describe('the program at a port', () => {
  const TABLE = [
    '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode',
    '   0: 0100007F:223F 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 41234 1',
    '   1: 0100007F:223F 0100007F:A1B2 01 00000000:00000000 00:00000000 00000000  1000        0 41235 1',
    '   2: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 41236 1',
  ].join('\n');

  it('is found by the socket that listens, not by its connections or other ports', () => {
    expect(listenerInodes(TABLE, 8767)).toEqual(['socket:[41234]']);
    expect(listenerInodes(TABLE, 8768)).toEqual([]);
  });

  it('is read from the output of lsof', () => {
    expect(parseLsof('p4711\ncImage J\nf12\n')).toEqual({ pid: 4711, program: 'Image J' });
    expect(parseLsof('')).toEqual({});
  });
});

describe('the log', () => {
  it('begins with the last 500 lines of the file, and keeps 500', () => {
    const path = join(folder, 'long.log');
    const lines = Array.from({ length: 600 }, (_, i) => JSON.stringify({ level: 30, time: i, msg: `line ${i}` }));
    writeFileSync(path, `${lines.join('\n')}\n`);
    const log = new ServerLog(path);
    expect(log.last).toHaveLength(500);
    expect(log.last[0]).toMatchObject({ text: 'line 100', level: 'info', time: 100 });
    log.add('warn', 'one more');
    expect(log.last).toHaveLength(500);
    expect(log.last.at(-1)).toMatchObject({ text: 'one more', level: 'warn' });
  });

  it('stores what the server printed as plain text, which is its last word in a crash', () => {
    const path = join(folder, 'crash.log');
    const log = new ServerLog(path);
    log.addPrinted('FATAL ERROR: Reached heap limit');
    log.addPrinted(JSON.stringify({ level: 40, time: 5, msg: 'slow', err: { message: 'disk' } }));
    expect(log.last.map(({ level, text }) => [level, text])).toEqual([
      ['error', 'FATAL ERROR: Reached heap limit'],
      ['warn', 'slow: disk'],
    ]);
    const stored = readFileSync(path, 'utf8').trim().split('\n');
    expect(stored).toHaveLength(1);
    expect(JSON.parse(stored[0]!)).toMatchObject({ level: 50, msg: 'FATAL ERROR: Reached heap limit' });
  });
});

describe('settings from the page', () => {
  const GOOD = {
    ...{ port: 8767, roots: ['/data'], allowOrigins: ['https://*.lab.example'], allowFilePages: false },
    ...{ sessionTtlSeconds: 600, memoryBudget: '' },
  };
  it.each([
    [{}, []],
    [{ memoryBudget: '4GB' }, []],
    [{ memoryBudget: '1.5 GiB' }, []],
    [{ memoryBudget: 'lots' }, ['memoryBudget']],
    [{ port: 8767.5 }, ['port']],
    [{ port: null }, ['port']],
    [{ roots: ['data'] }, ['roots']],
    [{ roots: '/data' }, ['roots']],
    [{ allowOrigins: ['*'] }, ['allowOrigins']],
    [{ allowOrigins: ['https://lab.example/page'] }, ['allowOrigins']],
    [{ allowFilePages: 'yes' }, ['allowFilePages']],
    [{ sessionTtlSeconds: 5 }, ['sessionTtlSeconds']],
  ])('%j are refused by the names %j', (changes, names) => {
    expect(Object.keys(findFaults({ ...GOOD, ...changes }))).toEqual(names);
  });
});

describe('start at login', () => {
  it.runIf(process.platform === 'linux')('is an entry of the autostart folder that names the program', () => {
    const before = process.env['XDG_CONFIG_HOME'];
    process.env['XDG_CONFIG_HOME'] = folder;
    const autostart = createAutostart(['/opt/acq store/acqstore-desktop']);
    if (before === undefined) delete process.env['XDG_CONFIG_HOME'];
    else process.env['XDG_CONFIG_HOME'] = before;
    expect(autostart.state()).toEqual({ available: true, enabled: false });
    autostart.set(true);
    const entry = readFileSync(join(folder, 'autostart', 'acquisition-store.desktop'), 'utf8');
    expect(entry).toContain('\nExec="/opt/acq store/acqstore-desktop"\n');
    expect(autostart.state().enabled).toBe(true);
    autostart.set(false);
    expect(autostart.state().enabled).toBe(false);
  });

  it('cannot be set without a program', () => {
    expect(createAutostart(undefined).state()).toEqual({ available: false, enabled: false });
  });
});

describe('the support bundle', () => {
  it('hides the token, and does not repeat settings that are not JSON', () => {
    expect(JSON.parse(hideSecrets('{"token": "hush", "port": 1}'))).toEqual({ token: '(hidden)', port: 1 });
    expect(hideSecrets('{"token": "hush"')).not.toContain('hush');
  });
});

describe('an argument of a desktop entry', () => {
  it('is quoted, with its special characters escaped twice and percent signs doubled', () => {
    expect(quoteArgument('/opt/acq store/acqstore')).toBe('"/opt/acq store/acqstore"');
    expect(quoteArgument('a"b$c%d')).toBe('"a\\\\"b\\\\$c%%d"');
  });
});
