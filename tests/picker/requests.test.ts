import { Script } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { listDialogs } from '../../packages/server/src/picker/chain.js';
import { encodeCall } from '../../packages/server/src/picker/dbus/message.js';
import { isVariant } from '../../packages/server/src/picker/dbus/signature.js';
import { anyCaseGlobs, cleanExtensions, cleanTitle, readableGlobs } from '../../packages/server/src/picker/dialog.js';
import { isForwarded } from '../../packages/server/src/picker/display.js';
import { kdialogArgs } from '../../packages/server/src/picker/kdialog.js';
import { OPEN_PANEL_SCRIPT, osascriptArgs } from '../../packages/server/src/picker/osascript.js';
import { openFileOptions } from '../../packages/server/src/picker/portal-values.js';
import {
  FOLDER_DIALOG_SOURCE,
  OPEN_FILE_SCRIPT,
  OPEN_FOLDER_SCRIPT,
  powershellArgs,
  powershellPath,
  powershellRequest,
  REQUEST_VARIABLE,
} from '../../packages/server/src/picker/powershell.js';
import { windowsDialogArgs } from '../../packages/server/src/picker/windows-dialog.js';
import { zenityArgs } from '../../packages/server/src/picker/zenity.js';

const REQUEST = {
  title: `-x "$(id)" 'µ' | \`id\``,
  kind: 'file' as const,
  extensions: ['.ome.tif', '.oib'],
  folder: '/data/50 % | µ',
};
const ALL = { ...REQUEST, extensions: [] };
const FOLDER = { ...REQUEST, kind: 'folder' as const };

describe('a dialog request', () => {
  it.each([
    ['  two\nlines\t and   spaces ', 'two lines and spaces'],
    // Right-to-left override, zero width space, byte order mark, escape, line separator.
    ['a\u202eb\u200bc\ufeffd\u001b[1me\u2028f', 'a b c d [1me f'],
    ['\u0000\n', 'Open an acquisition'],
    [`${'😀'.repeat(200)}`, `${'😀'.repeat(159)}…`],
  ])('cleans the title %j', (title, clean) => expect(cleanTitle(title)).toBe(clean));

  it('has unique extensions in lower case without filter syntax', () => {
    const given = [
      '.TIF',
      '.tif',
      '.ome.tif',
      'tif',
      '.',
      '.a|b',
      '.a;b',
      '.*',
      '.a)',
      '.[a]',
      '.a b',
      '.a/b',
      '.µ-1_b+',
    ];
    expect(cleanExtensions(given)).toEqual(['.tif', '.ome.tif', '.µ-1_b+']);
  });

  it('has globs for any case', () => {
    expect(anyCaseGlobs(['.ome.tif', '.1-ß'])).toEqual(['*.[oO][mM][eE].[tT][iI][fF]', '*.1-ß']);
    expect(readableGlobs(['.ome.tif', '.1'])).toEqual(['*.ome.tif', '*.OME.TIF', '*.1']);
  });
});

describe('the order of dialogs', () => {
  it.each<[NodeJS.Platform, string, string[]]>([
    ['linux', 'GNOME', ['desktop portal', 'zenity', 'kdialog']],
    ['linux', 'ubuntu:GNOME', ['desktop portal', 'zenity', 'kdialog']],
    ['linux', 'KDE', ['desktop portal', 'kdialog', 'zenity']],
    ['freebsd', '', ['desktop portal', 'zenity', 'kdialog']],
    ['darwin', '', ['osascript']],
    ['win32', '', ['PowerShell']],
  ])('is right on %s %s', (platform, desktop, names) => {
    expect(listDialogs(platform, { XDG_CURRENT_DESKTOP: desktop }).map(({ name }) => name)).toEqual(names);
  });

  it.each<[NodeJS.ProcessEnv, boolean]>([
    [{ DISPLAY: 'localhost:10.0' }, true],
    [{ DISPLAY: 'lab.example:0' }, true],
    [{ DISPLAY: 'localhost:10.0', WAYLAND_DISPLAY: 'wayland-0' }, false],
    [{ DISPLAY: ':0' }, false],
    [{ DISPLAY: 'unix:0' }, false],
    [{}, false],
  ])('detects a forwarded display in %j: %s', (env, forwarded) => expect(isForwarded(env)).toBe(forwarded));
});

describe('zenity and kdialog', () => {
  it('get zenity values after an equals sign and a folder with a trailing slash', () => {
    expect(zenityArgs(REQUEST)).toEqual([
      '--file-selection',
      `--title=-x "$(id)" 'µ' | \`id\``,
      '--filename=/data/50 % | µ/',
      '--file-filter=Acquisitions | *.[oO][mM][eE].[tT][iI][fF] *.[oO][iI][bB]',
      '--file-filter=All files | *',
    ]);
    expect(zenityArgs({ ...ALL, folder: '/' })).toContain('--filename=/');
    expect(zenityArgs(ALL).filter((arg) => arg.startsWith('--file-filter'))).toEqual(['--file-filter=All files | *']);
  });

  it('get the program for Windows one argument for each value', () => {
    expect(windowsDialogArgs(REQUEST)).toEqual([
      ...['--title', `-x "$(id)" 'µ' | \`id\``, '--folder', '/data/50 % | µ'],
      ...['--filter', 'Acquisitions|*.ome.tif;*.oib', '--filter', 'All files|*.*'],
    ]);
    expect(windowsDialogArgs({ ...ALL, kind: 'folder' })[0]).toBe('--dir');
    expect(windowsDialogArgs(ALL).filter((arg) => arg === '--filter')).toHaveLength(1);
  });

  it('have no filters for folders, which would hide them', () => {
    const title = `--title=-x "$(id)" 'µ' | \`id\``;
    expect(zenityArgs(FOLDER)).toEqual(['--file-selection', title, '--filename=/data/50 % | µ/', '--directory']);
    expect(kdialogArgs(FOLDER)).toEqual([title, '--getexistingdirectory', '/data/50 % | µ']);
  });

  it('get kdialog filters in its own syntax', () => {
    expect(kdialogArgs(REQUEST)).toEqual([
      `--title=-x "$(id)" 'µ' | \`id\``,
      '--getopenfilename',
      '/data/50 % | µ',
      'Acquisitions (*.ome.tif *.OME.TIF *.oib *.OIB)|All files (*)',
    ]);
    expect(kdialogArgs(ALL).at(-1)).toBe('All files (*)');
  });
});

describe('desktop portal', () => {
  it('gets title, start folder and filters as options', () => {
    const options = openFileOptions({ title: 'x', kind: 'file', extensions: ['.tif'], folder: '/µ' }, 'token');
    const found = Object.fromEntries(
      (options as [string, unknown][]).map(([key, value]) => {
        if (!isVariant(value as never)) throw new Error(`${key} is no variant`);
        return [key, value];
      }),
    );
    const own = ['Acquisitions', [[0, '*.[tT][iI][fF]']]];
    const all = ['All files', [[0, '*']]];
    expect(found).toEqual({
      handle_token: { signature: 's', value: 'token' },
      modal: { signature: 'b', value: false },
      filters: { signature: 'a(sa(us))', value: [own, all] },
      current_filter: { signature: '(sa(us))', value: own },
      // "/µ" in UTF-8, and the NUL that the interface asks for.
      current_folder: { signature: 'ay', value: [0x2f, 0xc2, 0xb5, 0] },
    });
    const call = { destination: 'a.b', path: '/a', interface: 'a.b', member: 'OpenFile', signature: 'ssa{sv}' };
    expect(encodeCall({ ...call, body: ['', 'x', options] }, 2).length).toBeGreaterThan(250);
  });
});

describe('desktop portal, folders', () => {
  it('asks for a directory, without filters', () => {
    const options = openFileOptions({ title: 'x', kind: 'folder', extensions: ['.tif'], folder: '/µ' }, 'token');
    expect((options as [string, unknown][]).map(([key]) => key)).toEqual([
      'handle_token',
      'modal',
      'current_folder',
      'directory',
    ]);
    expect((options as [string, unknown][]).at(-1)).toEqual(['directory', { signature: 'b', value: true }]);
  });
});

describe('macOS', () => {
  const script = new Script(OPEN_PANEL_SCRIPT);

  it('passes the request as one JSON argument', () => {
    expect(osascriptArgs(REQUEST).slice(0, 4)).toEqual(['-l', 'JavaScript', '-e', OPEN_PANEL_SCRIPT]);
    expect(JSON.parse(osascriptArgs(REQUEST)[4] as string)).toEqual({
      title: REQUEST.title,
      kind: 'file',
      types: ['tif', 'oib'],
      folder: REQUEST.folder,
    });
    expect(osascriptArgs(REQUEST)).toHaveLength(5);
    expect(JSON.parse(osascriptArgs(FOLDER)[4] as string)).toMatchObject({ kind: 'folder', types: [] });
  });

  /** The script in a bridge that records what it sets; `choose` is the answer of the user. */
  const runScript = (
    types: string[],
    choose: string | undefined,
    registerSubclass: (spec: unknown) => void,
    kind = 'file',
  ) => {
    const panel: Record<string, unknown> = { runModal: choose === undefined ? 0 : 1, URL: { path: choose } };
    const popup: Record<string, unknown> = { items: [], addItemWithTitle: (title: string) => titles.push(title) };
    const titles: string[] = [];
    const app = { setActivationPolicy: () => {}, activateIgnoringOtherApps: () => {} };
    const dollar = Object.assign((value?: unknown) => (value === undefined ? 'nil' : { wrapped: value }), {
      NSApplication: { sharedApplication: app },
      NSOpenPanel: { openPanel: panel },
      NSModalResponseOK: 1,
      NSMakeRect: () => 'rect',
      NSURL: { fileURLWithPath: (path: string) => `file://${path}` },
      NSPopUpButton: { alloc: { initWithFramePullsDown: () => popup } },
      AcqstoreFilter: { alloc: { init: 'target' } },
    });
    const ObjC = { import: () => {}, unwrap: (value: unknown) => value, registerSubclass };
    const context = { $: dollar, ObjC, argument: JSON.stringify({ title: 'T', kind, types, folder: '/d' }), JSON };
    script.runInNewContext(context);
    const output = new Script('run([argument])').runInNewContext(context) as string;
    return { panel, popup, titles, output };
  };

  it('shows a panel with both filters and prints the path', () => {
    let changed: ((popup: unknown) => void) | undefined;
    const { panel, popup, titles, output } = runScript(['tif'], '/d/a "b"\n.tif', (spec) => {
      const methods = (spec as { methods: Record<string, { implementation: (popup: unknown) => void }> }).methods;
      changed = methods['changed:']?.implementation;
    });
    expect(JSON.parse(output)).toEqual({ path: '/d/a "b"\n.tif' });
    expect(panel).toMatchObject({
      message: 'T',
      directoryURL: 'file:///d',
      canChooseFiles: true,
      canChooseDirectories: false,
      allowsMultipleSelection: false,
      allowedFileTypes: { wrapped: ['tif'] },
      accessoryView: popup,
    });
    expect(titles).toEqual(['Acquisitions', 'All files']);
    expect(popup).toMatchObject({ target: 'target', action: 'changed:' });
    changed?.({ indexOfSelectedItem: 1 });
    expect(panel['allowedFileTypes']).toBe('nil');
    changed?.({ indexOfSelectedItem: 0 });
    expect(panel['allowedFileTypes']).toEqual({ wrapped: ['tif'] });
  });

  it('shows a panel for folders without a filter', () => {
    const { panel, titles, output } = runScript([], '/d/scan 1', () => expect.fail('a filter was made'), 'folder');
    expect(JSON.parse(output)).toEqual({ path: '/d/scan 1' });
    expect(panel).toMatchObject({ canChooseFiles: false, canChooseDirectories: true, allowsMultipleSelection: false });
    expect(titles).toEqual([]);
  });

  it('allows every file when the filter cannot be created, and reports that the user canceled', () => {
    const { panel, output } = runScript(['tif'], undefined, () => {
      throw new Error('no classes today');
    });
    expect(panel['allowedFileTypes']).toBe('nil');
    expect(JSON.parse(output)).toEqual({ cancelled: true });
  });
});

describe('Windows', () => {
  it('runs Windows PowerShell in the single-threaded apartment that dialogs need', () => {
    expect(powershellPath({ SystemRoot: 'D:\\WINNT' })).toBe(
      'D:\\WINNT\\System32\\WindowsPowerShell\\v1.0\\powershell.exe',
    );
    expect(powershellPath({})).toBe('C:\\Windows\\System32\\WindowsPowerShell\\v1.0\\powershell.exe');
    for (const [kind, script] of Object.entries({ file: OPEN_FILE_SCRIPT, folder: OPEN_FOLDER_SCRIPT })) {
      const args = powershellArgs(kind as 'file' | 'folder');
      expect(args).toContain('-STA');
      expect(args.at(-2)).toBe('-EncodedCommand');
      expect(Buffer.from(args.at(-1) as string, 'base64').toString('utf16le')).toBe(script);
      // The command line of a process on Windows has at most 32,767 characters.
      expect(args.join(' ').length).toBeLessThan(16_000);
    }
  });

  it('passes the request as JSON in the environment', () => {
    expect(JSON.parse(powershellRequest(REQUEST))).toEqual({
      title: REQUEST.title,
      folder: REQUEST.folder,
      filter: 'Acquisitions|*.ome.tif;*.oib|All files|*.*',
    });
    expect(JSON.parse(powershellRequest(ALL))).toMatchObject({ filter: 'All files|*.*' });
    expect(OPEN_FILE_SCRIPT).toContain(`$env:${REQUEST_VARIABLE} | ConvertFrom-Json`);
  });

  it.each([
    ['files', OPEN_FILE_SCRIPT],
    ['folders', OPEN_FOLDER_SCRIPT],
    // As PowerShell joins its lines.
    ['the C# of the folder dialog', FOLDER_DIALOG_SOURCE.join('\n').replaceAll('"', "'")],
  ])('has a script with balanced brackets and quotes: %s', (_name, script) => {
    const open: string[] = [];
    const pairs: Record<string, string> = { ')': '(', '}': '{', ']': '[' };
    const code = script.replace(/'[^'\n]*'/g, "''");
    expect(code).not.toMatch(/'(?!')(?<!'')/);
    for (const character of code) {
      if ('({['.includes(character)) open.push(character);
      if (character in pairs) expect(open.pop()).toBe(pairs[character]);
    }
    expect(open).toEqual([]);
    // A here-string, a back-tick or a double quote would need more than this test to be sure of.
    expect(code).not.toMatch(/["`]|@'/);
  });
});
