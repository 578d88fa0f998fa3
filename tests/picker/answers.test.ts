import { mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type DBusValue, variant } from '../../packages/server/src/picker/dbus/signature.js';
import { kdialogOutcome } from '../../packages/server/src/picker/kdialog.js';
import { lastFolder } from '../../packages/server/src/picker/last-folder.js';
import { osascriptOutcome } from '../../packages/server/src/picker/osascript.js';
import { localPath, portalOutcome } from '../../packages/server/src/picker/portal-values.js';
import { powershellOutcome } from '../../packages/server/src/picker/powershell.js';
import { resolveChoice } from '../../packages/server/src/picker/result.js';
import { zenityOutcome } from '../../packages/server/src/picker/zenity.js';
import { findDirectly } from '../support/gate.js';

const ended = (code: number | null, stdout = '', stderr = '') => ({
  code,
  signal: code === null ? ('SIGSEGV' as const) : null,
  stdout: Buffer.from(stdout),
  stderr,
});
const CANCELLED = { status: 'cancelled' };
const chosen = (path: string) => ({ status: 'chosen', path });
const unavailable = (why: unknown) => ({ status: 'unavailable', why });
const failed = (why: unknown) => ({ status: 'failed', why });

const choose = (path: string) => resolveChoice(path, findDirectly, new AbortController().signal);

describe('the outcome of zenity', () => {
  it.each([
    ['a path', ended(0, '/d/a b.tif\n'), chosen('/d/a b.tif')],
    ['a path that ends with line ends', ended(0, '/d/a\n\n'), chosen('/d/a\n')],
    ['a path beside warnings', ended(0, '/a\n', 'Gtk-WARNING **: cannot open display\n'), chosen('/a')],
    ['cancel', ended(1), CANCELLED],
    [
      'cancel beside warnings',
      ended(1, '', 'Gtk-WARNING **: Theme parsing error\n'),
      { ...CANCELLED, printed: 'Gtk-WARNING **: Theme parsing error' },
    ],
    [
      'no display, GTK 3',
      ended(1, '', '\n(zenity:15904): Gtk-WARNING **: 02:28:17.257: cannot open display: :9\n'),
      unavailable('exit code 1: (zenity:15904): Gtk-WARNING **: 02:28:17.257: cannot open display: :9'),
    ],
    ['no display, GTK 4', ended(1, '', 'Failed to open display\n'), unavailable('exit code 1: Failed to open display')],
    [
      'no display, Debian',
      ended(1, '', 'Unable to init server: Could not connect: Connection refused\n'),
      unavailable('exit code 1: Unable to init server: Could not connect: Connection refused'),
    ],
    ['bad option', ended(255, '', 'No such option.\n'), failed('exit code 255: No such option.')],
    ['nothing', ended(0), failed('exit code 0: no error message')],
    ['a crash', ended(null), failed('ended by SIGSEGV: no error message')],
  ])('is right for %s', (_name, end, outcome) => expect(zenityOutcome(end)).toEqual(outcome));
});

describe('the outcome of kdialog', () => {
  it.each([
    ['a path', ended(0, '/d/µ.tif\n'), chosen('/d/µ.tif')],
    ['cancel', ended(1), CANCELLED],
    [
      'no display',
      ended(null, '', 'qt.qpa.xcb: could not connect to display :9\n'),
      unavailable('ended by SIGSEGV: qt.qpa.xcb: could not connect to display :9'),
    ],
    ['no display, and an exit code', ended(1, '', 'could not connect to display'), unavailable(expect.any(String))],
    ['nothing', ended(0), failed('exit code 0: no error message')],
    ['a crash', ended(null, '', 'malloc(): corrupted'), failed('ended by SIGSEGV: malloc(): corrupted')],
  ])('is right for %s', (_name, end, outcome) => expect(kdialogOutcome(end)).toEqual(outcome));
});

describe('the outcome of osascript and PowerShell', () => {
  it.each([
    ['a path', '{"path":"/d/a \\"b\\"\\n.tif"}\n', chosen('/d/a "b"\n.tif')],
    ['a path behind a byte order mark', '\ufeff{"path":"C:\\\\d\\\\µ.tif"}\r\n', chosen('C:\\d\\µ.tif')],
    ['cancel', '{"cancelled":true}', CANCELLED],
    ['something else', '{"path":["x"]}', failed('printed an invalid answer')],
    ['no JSON', 'Exception', failed('printed an invalid answer')],
    ['null', 'null', failed('printed an invalid answer')],
    ['nothing', '', failed('printed an invalid answer')],
  ])('is right for %s', (_name, text, outcome) => {
    expect(osascriptOutcome(ended(0, text))).toEqual(outcome);
    expect(powershellOutcome(ended(0, text))).toEqual(outcome);
  });

  it('has the reason of a failure', () => {
    const stderr = 'execution error: User canceled. (-128)\n';
    expect(osascriptOutcome(ended(1, '', stderr))).toEqual(CANCELLED);
    const other = 'execution error: no window server (-10810)\n';
    expect(osascriptOutcome(ended(1, '', other))).toEqual(failed(`exit code 1: ${other.trim()}`));
    const session = 'this session has no desktop\r\n';
    expect(powershellOutcome(ended(3, '', session))).toEqual(unavailable('exit code 3: this session has no desktop'));
    expect(powershellOutcome(ended(1, '', 'Exception'))).toEqual(failed('exit code 1: Exception'));
  });
});

describe('the outcome of the desktop portal', () => {
  const results = (...uris: string[]): DBusValue => [
    ['choices', variant('a(ss)', [])],
    ['uris', variant('as', uris)],
  ];

  it.each<[string, DBusValue[], boolean, unknown]>([
    ['a file', [0, results('file:///d/a%20b%0A%C2%B5%25.tif')], true, chosen('/d/a b\nµ%.tif')],
    ['Cancel', [1, []], true, CANCELLED],
    ['a closed window', [2, []], true, CANCELLED],
    ['nobody to show it', [2, []], false, unavailable('has no backend that draws its dialogs')],
  ])('is right for %s', (_name, body, backend, outcome) => expect(portalOutcome(body, backend)).toEqual(outcome));

  it.each<[string, DBusValue[]]>([
    ['no results', [0]],
    ['no uris', [0, []]],
    ['an empty list', [0, results()]],
    ['numbers', [0, [['uris', variant('au', [1])]]]],
    ['a bare value', [0, [['uris', 'file:///a']]]],
  ])('refuses %s', (_name, body) => {
    expect(() => portalOutcome(body, true)).toThrow('answered without a file');
  });

  it.each([
    ['smb://server/share/a.tif', 'the file is not on this computer'],
    ['file://server/a.tif', 'the file is not on this computer'],
    ['file:///caf%E9.tif', 'not valid UTF-8'],
    ['file:///a%2Fb', 'not valid'],
  ])('refuses %s', (uri, message) => {
    expect(() => localPath(uri)).toThrow(expect.objectContaining({ code: 'path_not_found' }));
    expect(() => localPath(uri)).toThrow(message);
  });
});

describe('the chosen path', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'acqstore-choice-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it.each(['.zattrs', '.zgroup', 'zarr.json'])('is the store of %s', async (name) => {
    const store = join(folder, 'a.ome.zarr');
    mkdirSync(store);
    writeFileSync(join(store, name), '{}');
    expect(await choose(join(store, name))).toBe(store);
  });

  it('is otherwise unchanged, even for a folder with such a name', async () => {
    mkdirSync(join(folder, 'zarr.json'));
    writeFileSync(join(folder, 'a.zattrs'), '');
    for (const name of ['zarr.json', 'a.zattrs']) {
      expect(await choose(join(folder, name))).toBe(join(folder, name));
    }
    expect(await choose(`${folder}/x/../a.zattrs`)).toBe(join(folder, 'a.zattrs'));
  });

  it('must exist', async () => {
    symlinkSync(join(folder, 'gone'), join(folder, 'link'));
    for (const path of [join(folder, 'gone.tif'), join(folder, 'link'), 'relative.tif', join(folder, 'n\0ul')]) {
      await expect(choose(path), path).rejects.toMatchObject({ code: 'path_not_found' });
    }
  });
});

describe('the last folder', () => {
  let state: string;
  let data: string;
  beforeEach(() => {
    state = mkdtempSync(join(tmpdir(), 'acqstore-state-'));
    data = join(state, 'data');
    mkdirSync(data);
  });
  afterEach(() => rmSync(state, { recursive: true, force: true }));

  it('survives a restart in a private file', async () => {
    const stateDir = join(state, 'new', 'deep');
    await lastFolder(stateDir).remember(data);
    expect(await lastFolder(stateDir).read()).toBe(data);
    expect(statSync(join(stateDir, 'picker.json')).mode & 0o777).toBe(0o600);
    expect(statSync(stateDir).mode & 0o777).toBe(0o700);
    await lastFolder(stateDir).remember(state);
    expect(await lastFolder(stateDir).read()).toBe(state);
  });

  it.each([
    ['no JSON', 'x{'],
    ['no object', '"/tmp"'],
    ['null', 'null'],
    ['no text', '{"folder":7}'],
    ['no folder', '{}'],
    ['a relative folder', '{"folder":"."}'],
    ['a NUL', '{"folder":"/tmp\\u0000"}'],
    ['too much', `{"folder":"/tmp","more":"${'x'.repeat(20_000)}"}`],
    ['nothing', ''],
  ])('ignores a file with %s', async (_name, content) => {
    writeFileSync(join(state, 'picker.json'), content);
    expect(await lastFolder(state).read()).toBeUndefined();
  });

  it('is unknown when its file is a folder or the state folder cannot be created', async () => {
    mkdirSync(join(state, 'picker.json'));
    expect(await lastFolder(state).read()).toBeUndefined();
    await lastFolder(state).remember(data);
    writeFileSync(join(state, 'file'), '');
    await lastFolder(join(state, 'file')).remember(data);
    expect(await lastFolder(join(state, 'file')).read()).toBeUndefined();
  });
});
