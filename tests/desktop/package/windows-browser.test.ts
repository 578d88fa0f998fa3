/** What opens addresses on Windows, with Node for Windows under Wine. It was never run on Windows. */
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { fetchNode } from '../../../packages/desktop/build/nodes.mjs';
import { REPOSITORY } from '../../support/cli.js';
import { describeWithPrograms, until } from '../../support/desktop.js';
import { Wine, windowsPath } from '../../support/wine.js';
import { whyNotBuilt } from './built.js';

const TARGET = 'win32-x64';
const problem = whyNotBuilt(TARGET);
if (problem !== undefined) console.warn(problem);
const programs = problem === undefined ? ['wine', 'wineserver'] : ['Node for Windows'];

describeWithPrograms('the browser on Windows', programs, () => {
  let wine: Wine;
  const opened = () => readFileSync(join(wine.folder, 'opened'), 'utf8').split('\n').slice(0, -1);
  const open = (call: string, value: string) => {
    const module = windowsPath(join(REPOSITORY, 'packages/server/dist', 'browser.js')).replaceAll('\\', '/');
    const script = join(wine.folder, 'open.mjs');
    const lines = [
      `import * as browser from ${JSON.stringify(`file:///${module}`)};`,
      'setTimeout(() => process.exit(9), 60_000);',
      `await browser.${call}(${JSON.stringify(value)}).then(() => console.log('opened'), ({ message }) => console.log(message));`,
      'process.exit();',
    ];
    writeFileSync(script, lines.join('\n'));
    return wine.mustRun(fetchNode(TARGET), windowsPath(script)).trim();
  };

  beforeAll(() => {
    wine = new Wine({ ACQSTORE_TOKEN: 'secret-of-this-server' });
    const program = join(wine.folder, 'browser');
    writeFileSync(program, `#!/bin/sh\nprintf '%s\\n' "$*" >>'${wine.folder}/opened'\n`);
    chmodSync(program, 0o755);
    wine.mustRun('reg', 'add', 'HKCU\\Software\\Wine\\WineBrowser', '/v', 'Browsers', '/d', program, '/f');
    // The working directory, where cmd and programs without a folder are found first.
    writeFileSync(join(wine.folder, 'planted.bat'), '@echo ran> trace\r\n');
    writeFileSync(join(wine.folder, 'rundll32.bat'), '@echo ran> trace\r\n');
  });
  beforeEach(() => writeFileSync(join(wine.folder, 'opened'), ''));
  afterAll(() => wine?.stop());

  it.each([
    'https://lab.example/?a&planted.bat',
    'https://lab.example/%3Cb%3E?a=1&b=(c)#!d',
    "http://127.0.0.1:8767/demo/v2/#token=a%20'b'",
  ])('gets %s unchanged, and nothing else runs', async (address) => {
    expect(open('openAddress', address)).toBe('opened');
    await until('the browser', () => opened().length > 0);
    expect(opened()).toEqual([address]);
    expect(existsSync(join(wine.folder, 'trace'))).toBe(false);
  });

  it.each([
    'https://lab.example/?%PATH%',
    // Both signs begin an escape, and a name is between them.
    'https://lab.example/?%ACQSTORE_TOKEN%20',
    'https://lab.example/" & planted.bat & "',
    'https://lab.example/\nplanted.bat',
    'planted.bat',
  ])('is not given %j', (address) => {
    expect(open('openAddress', address)).toMatch(/^(only http and https addresses|the address contains)/);
    expect(opened()).toEqual([]);
    expect(existsSync(join(wine.folder, 'trace'))).toBe(false);
  });

  it('gets a page of our own, whatever its folder is called', async () => {
    const folder = join(wine.drive, 'users', 'a & planted.bat');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'open.html'), '');
    expect(open('openPage', 'C:\\users\\a & planted.bat\\open.html')).toBe('opened');
    await until('the browser', () => opened().length > 0);
    expect(opened()).toEqual([expect.stringMatching(/^file:\/\/.*open\.html$/)]);
    expect(existsSync(join(wine.folder, 'trace'))).toBe(false);
  });
});
