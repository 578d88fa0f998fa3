/** The installers for Windows, under Wine: what they install, what of it runs, and what is left. They were never run on Windows. */
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { buildDesktop } from '../../../packages/desktop/build/build.mjs';
import { buildPackages } from '../../../packages/desktop/build/packages.mjs';
import { packageVersion } from '../../../packages/server/src/package-files.js';
import { REPOSITORY } from '../../support/cli.js';
import { describeWithPrograms, until } from '../../support/desktop.js';
import { freePort } from '../../support/supervisor.js';
import { Wine, windowsPath } from '../../support/wine.js';
import { whyNotBuilt } from './built.js';

const TARGET = 'win32-x64';
const problem = whyNotBuilt(TARGET) ?? whyNotBuilt();
if (problem !== undefined) console.warn(problem);
const programs =
  problem === undefined
    ? ['wine', 'wineserver', 'x86_64-w64-mingw32-gcc', 'rsvg-convert', 'makensis', 'unzip', 'zip']
    : ['Node for Windows'];
const CLASSES = 'HKCU\\Software\\Classes';
const LAUNCHER = 'Acquisition Store.exe';
const ZEISS = join(REPOSITORY, 'packages/server/warm-up/zstd.czi');
const OLYMPUS = join(REPOSITORY, 'packages/server/warm-up/scan.oir');

describeWithPrograms('the setup for Windows', programs, () => {
  let wine: Wine;
  let setup: string;
  let zip: string;
  let installed: string;
  let before: { files: string[]; classes: string };

  beforeAll(async () => {
    buildDesktop();
    [zip, setup] = (await buildPackages(TARGET, ['zip', 'setup'])) as [string, string];
    wine = new Wine();
    installed = join(wine.localAppData, 'Programs', 'Acquisition Store');
    // Another program opens TIFF pictures.
    wine.mustRun('reg', 'add', `${CLASSES}\\.tif`, '/ve', '/d', 'Other.Picture', '/f');
    wine.mustRun('reg', 'add', `${CLASSES}\\.oir\\OpenWithProgids`, '/v', 'Other.Oir', '/d', '', '/f');
    before = { files: filesOf(wine), classes: wine.mustRun('reg', 'query', CLASSES, '/s') };
  });
  afterAll(() => wine?.stop());

  it('installs for one user without a question', () => {
    expect(wine.run(setup, '/S').status).toBe(0);
    const listed = spawnSync('unzip', ['-Z1', zip], { encoding: 'utf8' }).stdout.trim().split('\n');
    const packed = listed.map((name) => name.slice(name.indexOf('/') + 1));
    const files = spawnSync('find', ['.', '-type', 'f', '-printf', '%P\n'], { cwd: installed, encoding: 'utf8' });
    expect(files.stdout.trim().split('\n').sort()).toEqual([...packed, 'uninstall.exe'].sort());
    expect(wine.mustRun(join(installed, 'acqstore.exe'), '--version').trim()).toBe(packageVersion());
    const entry = join(wine.roamingAppData, 'Microsoft/Windows/Start Menu/Programs/Acquisition Store.lnk');
    expect(readFileSync(entry, 'latin1')).toContain('Acquisition Store.exe');
    const listing = wine.mustRun('reg', 'query', 'HKCU\\Software\\Microsoft\\Windows\\CurrentVersion\\Uninstall', '/s');
    expect(listing).toMatch(new RegExp(`DisplayVersion +REG_SZ +${packageVersion()}`));
  });

  it('offers the application for its file types, and leaves what opens them', () => {
    expect(wine.mustRun('reg', 'query', `${CLASSES}\\.czi\\OpenWithProgids`)).toContain('AcquisitionStore.czi');
    expect(wine.mustRun('reg', 'query', `${CLASSES}\\.tif`, '/ve')).toContain('Other.Picture');
    expect(wine.run('reg', 'query', `${CLASSES}\\.czi`, '/ve').stdout).not.toContain('AcquisitionStore');
    const command = wine.mustRun('reg', 'query', `${CLASSES}\\AcquisitionStore.czi\\shell\\open\\command`, '/ve');
    expect(command).toContain(`Programs\\Acquisition Store\\${LAUNCHER}" "%1"`);
  });

  it('starts in the browser with the file of “Open with”, and hands over the file of a second start', async () => {
    const browser = fakeBrowser(wine);
    const port = await freePort();
    const state = join(wine.localAppData, 'acquisition-store');
    mkdirSync(state, { recursive: true });
    writeFileSync(join(state, 'settings.json'), JSON.stringify({ port }));
    const { child } = wine.start(join(installed, LAUNCHER), windowsPath(ZEISS));
    const [page, viewer] = await until('the viewer', () => browser.opened(2));
    expect(page).toMatch(/^file:.*acquisition-store\/desktop\/open\.html$/);
    expect(viewer).toMatch(new RegExp(`^http://127\\.0\\.0\\.1:${port}/demo/v2/\\?session=`));
    expect(wine.run(join(installed, LAUNCHER), windowsPath(OLYMPUS)).status).toBe(0);
    const [, , ...more] = await until('the second file', () => browser.opened(4));
    const second = new URL(more.find((address) => address.startsWith('http:'))!);
    const session = `${second.origin}/api/v2/sessions/${second.searchParams.get('session')}`;
    expect(await (await fetch(`${session}/acquisition`)).json()).toMatchObject({ source: { format: 'oir' } });

    expect(wine.run(setup, '/S').status, 'a setup while it runs').toBe(2);
    wine.mustRun('taskkill', '/f', '/im', LAUNCHER);
    await until('the end of the application', () => child.exitCode !== null && !processes().includes('acqstore.exe'));
    await expect(fetch(second)).rejects.toThrow('fetch failed');
  });

  it('leaves nothing but the settings and the log of the user', async () => {
    expect(wine.run(join(installed, 'uninstall.exe'), '/S').status).toBe(0);
    await until('the end of the uninstaller', () => !existsSync(installed));
    await sleep(500);
    expect(wine.mustRun('reg', 'query', CLASSES, '/s')).toBe(before.classes);
    expect(wine.mustRun('reg', 'query', 'HKCU\\Software', '/s')).not.toMatch(/acquisition ?store/i);
    const left = filesOf(wine).filter((file) => !before.files.includes(file));
    // Windows deletes the copy of the uninstaller when it starts the next time.
    expect(left.filter((file) => !/\/(AppData\/Local\/acquisition-store|Temp)\//.test(file))).toEqual([]);
  });

  it('has the same bytes when it is built again', async () => {
    const first = readFileSync(setup);
    await buildPackages(TARGET, ['setup']);
    expect(readFileSync(setup).equals(first)).toBe(true);
  });

  const processes = () => wine.mustRun('tasklist');
});

describeWithPrograms('the .msi for Windows', [...programs, 'wixl'], () => {
  let wine: Wine;
  let msi: string;
  const MACHINE = 'HKLM\\Software\\Classes';

  beforeAll(async () => {
    buildDesktop();
    [msi] = (await buildPackages(TARGET, ['msi'])) as [string];
    wine = new Wine();
  });
  afterAll(() => wine?.stop());

  it('installs for all users, and leaves nothing when it is removed', () => {
    wine.mustRun('reg', 'add', `${MACHINE}\\.tif`, '/ve', '/d', 'Other.Picture', '/f');
    const before = { files: filesOf(wine), classes: wine.mustRun('reg', 'query', MACHINE, '/s') };
    wine.mustRun('msiexec', '/i', windowsPath(msi), '/qn');
    const installed = join(wine.drive, 'Program Files', 'Acquisition Store');
    const inspected = wine.mustRun(join(installed, 'acqstore.exe'), 'inspect', windowsPath(ZEISS), '--json');
    expect(JSON.parse(inspected)).toMatchObject({ ok: true, source: { format: 'czi' } });
    const files = ['warm-up/small.ome.zarr/0/0/1/0', 'doc/licenses.txt', 'doc/sbom.cdx.json', LAUNCHER];
    expect(files.filter((name) => !existsSync(join(installed, name)))).toEqual([]);
    expect(filesOf(wine).filter((name) => name.endsWith('/Programs/Acquisition Store.lnk'))).toHaveLength(1);
    expect(wine.mustRun('reg', 'query', `${MACHINE}\\.tif\\OpenWithProgids`)).toContain('AcquisitionStore.tiff');
    const command = wine.mustRun('reg', 'query', `${MACHINE}\\AcquisitionStore.czi\\shell\\open\\command`, '/ve');
    expect(command).toContain(`"C:\\Program Files\\Acquisition Store\\${LAUNCHER}" "%1"`);
    expect(wine.mustRun('reg', 'query', `${MACHINE}\\.tif`, '/ve')).toContain('Other.Picture');

    wine.mustRun('msiexec', '/x', windowsPath(msi), '/qn');
    expect(filesOf(wine).filter((file) => !before.files.includes(file))).toEqual([]);
    expect(existsSync(installed)).toBe(false);
    const own = /^(?!.*\\Installer).*acquisition ?store/im;
    expect(wine.mustRun('reg', 'query', 'HKLM\\Software', '/s')).not.toMatch(own);
    const left = wine.mustRun('reg', 'query', MACHINE, '/s');
    expect(left.replace(/^.*\\Classes\\Installer.*\r?\n\r?\n?/gm, '')).toBe(before.classes);
  });

  it('has the same bytes when it is built again', async () => {
    const first = readFileSync(msi);
    await buildPackages(TARGET, ['msi']);
    expect(readFileSync(msi).equals(first)).toBe(true);
  });
});

/** A browser that writes down what it is asked to open. */
function fakeBrowser(wine: Wine): { opened: (count: number) => string[] | undefined } {
  const list = join(wine.folder, 'opened');
  const program = join(wine.folder, 'browser');
  writeFileSync(list, '');
  writeFileSync(program, `#!/bin/sh\nprintf '%s\\n' "$1" >>'${list}'\n`);
  chmodSync(program, 0o755);
  wine.mustRun('reg', 'add', 'HKCU\\Software\\Wine\\WineBrowser', '/v', 'Browsers', '/d', program, '/f');
  return {
    opened: (count) => {
      const lines = readFileSync(list, 'utf8').trim().split('\n');
      return lines.length >= count ? lines : undefined;
    },
  };
}

/** Returns the files below `C:\`. */
function filesOf(wine: Wine): string[] {
  const found = spawnSync('find', [wine.drive, '-type', 'f'], { encoding: 'utf8' });
  return found.stdout.trim().split('\n').sort();
}
