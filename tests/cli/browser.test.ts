/** What opens addresses in the user's browser; the command line and the desktop application share it. */
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { explorerCommand, revealFile } from '../../packages/desktop/src/supervisor/reveal.js';
import { showBrowser } from '../../packages/desktop/src/window/browser.js';
import { browserCommand, openAddress, openPage } from '../../packages/server/src/browser.js';
import { tempFolder } from '../support/temp.js';

const HOSTILE = [
  ...[
    '"',
    '%PATH%',
    '^',
    '-flag',
    '--help',
    'javascript:alert(1)',
    'file:///etc/passwd',
    '\\\\host\\share',
    'C:\\a.bat',
  ],
  ...[
    '/etc/passwd',
    '',
    ' https://x/',
    'https://x/\n-flag',
    'https://x/?a"&calc',
    'https://x/^&calc',
    'https://x/|calc',
  ],
  ...[
    'https://x/%PATH%',
    'https://x/`id`',
    'https://x/ü',
    'https://x/\\..\\calc',
    'ftp://x/',
    'https:x',
    'https://',
    'x:y',
  ],
  ...['https://x/<a>', 'https://x/\0', 'https://x/\u202e', 'vbscript:x', 'ms-settings:', 'data:text/html,x'],
];
const WINDOWS = 'C:\\Windows\\System32\\rundll32.exe';

describe('the program that opens an address', () => {
  it.each([
    ['linux', ['xdg-open']],
    ['darwin', ['/usr/bin/open']],
    ['win32', [WINDOWS, 'url.dll,FileProtocolHandler']],
  ] as const)('of %s gets the address as one argument, without a shell', (platform, command) => {
    const env = { SystemRoot: 'C:\\Windows', PATH: 'C:\\Windows' };
    for (const address of ['https://x/?a&calc', 'http://127.0.0.1:8767/demo/v2/#token=%20(a)']) {
      expect(browserCommand(platform, env, address)).toEqual([...command, address]);
    }
  });

  it.each(['https://x/%PATH%', 'https://x/?a=%25path%25', 'https://x/%ac%Acqstore_Token%20'])(
    'of Windows does not get %s, in which it would put the value of a variable',
    (address) => {
      const env = { PATH: 'C:\\Windows', ACQSTORE_TOKEN: 'secret', '25path': 'C:\\' };
      expect(() => browserCommand('win32', env, address)).toThrow('the name of an environment variable');
      expect(browserCommand('linux', env, address)).toEqual(['xdg-open', address]);
    },
  );

  it('of files on Windows gets the path in quotes, whatever it contains', () => {
    const env = { SystemRoot: 'D:\\Win' };
    expect(explorerCommand(env, 'C:\\a, b\\calc.exe')).toEqual([
      'D:\\Win\\explorer.exe',
      '/select,"C:\\a, b\\calc.exe"',
    ]);
    expect(explorerCommand({}, 'C:\\a.log')[0]).toBe('C:\\Windows\\explorer.exe');
    expect(explorerCommand(env, 'C:\\a",calc.exe')[1]).toBe('/select,"C:\\a,calc.exe"');
  });
});

it('no program of files gets a path that it could take for an option', async () => {
  await expect(revealFile('-R')).rejects.toThrow('the path is not absolute: -R');
});

describe.runIf(process.platform === 'linux')('xdg-open', () => {
  const bin = join(tempFolder(), 'bin');
  const program = join(bin, 'xdg-open');
  const list = join(bin, 'opened');
  const opened = () => (existsSync(list) ? readFileSync(list, 'utf8').split('\0').slice(0, -1) : []);
  const install = (end: string) => {
    mkdirSync(bin, { recursive: true });
    writeFileSync(list, '');
    writeFileSync(program, `#!/bin/sh\nfor argument; do printf '%s\\0' "$argument" >>'${list}'; done\n${end}\n`);
    chmodSync(program, 0o755);
  };
  beforeEach(() => {
    install('exit 0');
    vi.stubEnv('PATH', `${bin}:${process.env['PATH']}`);
  });
  afterEach(() => vi.unstubAllEnvs());

  it('is given the addresses of web pages', async () => {
    const addresses = ['https://x/?a&calc', "http://127.0.0.1:8767/demo/v2/#token=a%20'b'", 'http://[::1]:8767/'];
    for (const address of addresses) await openAddress(address);
    expect(opened()).toEqual(addresses);
  });

  it('is given nothing else', async () => {
    for (const address of HOSTILE) {
      await expect(openAddress(address), JSON.stringify(address)).rejects.toThrow('only http and https addresses');
    }
    expect(opened()).toEqual([]);
  });

  it('is given our own pages as addresses, with the path escaped', async () => {
    await openPage('/a/-b & "c" | d%PATH%\n^/öpen.html');
    const [address = ''] = opened();
    expect(address).toMatch(/^file:\/\/\/[A-Za-z0-9\-._~/%]+$/);
    expect(new URL(address).href).toBe(address);
    expect(decodeURIComponent(new URL(address).pathname)).toBe('/a/-b & "c" | d%PATH%\n^/öpen.html');
  });

  it('says why it fails', async () => {
    install('exit 3');
    await expect(openAddress('https://x/')).rejects.toThrow('xdg-open exited with code 3');
    vi.stubEnv('PATH', '/does/not/exist');
    await expect(openAddress('https://x/')).rejects.toThrow('ENOENT');
  });

  it('shows the window of the application in a tab, by a private page', async () => {
    const stateDir = tempFolder();
    const options = { title: 'Acquisition Store', stateDir, openPage };
    const window = await showBrowser('http://127.0.0.1:1/?token=secret', options);
    expect(opened()).toEqual([pathToFileURL(join(stateDir, 'desktop', 'open.html')).href]);
    await window?.close();
    install('exit 1');
    expect(await showBrowser('http://127.0.0.1:1/', options)).toBeUndefined();
    expect(existsSync(join(stateDir, 'desktop', 'open.html'))).toBe(false);
  });
});
