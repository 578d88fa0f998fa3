/** The application for Windows, under Wine. It was never run on Windows. */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { OpenResponse } from '../../../packages/client/src/contract/open.js';
import { buildDesktop } from '../../../packages/desktop/build/build.mjs';
import { buildPackages } from '../../../packages/desktop/build/packages.mjs';
import { createServer, type RunningServer } from '../../../packages/server/src/index.js';
import { packageVersion } from '../../../packages/server/src/package-files.js';
import { REPOSITORY } from '../../support/cli.js';
import { type Desktop, describeWithPrograms, startDesktop, until } from '../../support/desktop.js';
import { choosePath } from '../../support/dialogs.js';
import { tempFolder, writeTemp } from '../../support/temp.js';
import { Wine, windowsPath } from '../../support/wine.js';
import { dims, PIXEL_TYPES, writeCzi } from '../../writers/czi.js';
import { JPEG_XR, JPEG_XR_HEIGHT, JPEG_XR_WIDTH } from '../../writers/jpegxr-vectors.js';
import { whyNotBuilt } from './built.js';

const TARGET = 'win32-x64';
const problem = whyNotBuilt(TARGET) ?? whyNotBuilt();
if (problem !== undefined) console.warn(problem);
const programs =
  problem === undefined
    ? [
        'wine',
        'wineserver',
        'x86_64-w64-mingw32-gcc',
        'rsvg-convert',
        'wrestool',
        'zip',
        'unzip',
        'Xvfb',
        'openbox',
        'xdotool',
      ]
    : ['Node for Windows'];
const WARM_UP = join(REPOSITORY, 'packages/server/warm-up');
const ACQUISITIONS = readdirSync(WARM_UP).filter((name) => !name.endsWith('.txt') && name !== 'prairie');
const DIALOG_TITLE = 'Acquisition Store: open';
const SUBSYSTEMS = { window: 2, console: 3 };
const folder = tempFolder();

describeWithPrograms('the zip for Windows', programs, () => {
  let screen: Desktop;
  let wine: Wine;
  let zip: string;
  let source: RunningServer;
  let packed: string;
  let stopped: Promise<unknown>;
  const program = join(folder, `acquisition-store-${packageVersion()}`);
  const executable = join(program, 'acqstore.exe');

  beforeAll(async () => {
    buildDesktop();
    let sums: string;
    [zip, sums] = (await buildPackages(TARGET, ['zip'])) as [string, string];
    const sum = createHash('sha256').update(readFileSync(zip)).digest('hex');
    expect(readFileSync(sums, 'utf8')).toBe(`${sum}  ${basename(zip)}\n`);
    expect(spawnSync('unzip', ['-q', zip, '-d', folder]).status).toBe(0);
    screen = await startDesktop();
    // With a screen, Wine would ask to install a browser engine.
    wine = new Wine({ DISPLAY: screen.env['DISPLAY'], WINEDLLOVERRIDES: 'mscoree=;mshtml=;winemenubuilder.exe=' });
    source = await createServer({ port: 0, stateDir: join(folder, 'source') });
    const { child, output } = wine.start(executable, 'serve', '--port', '0');
    stopped = new Promise((resolve) => child.once('exit', resolve));
    packed = await until('the server', () => /API +(http:\S+)\/api\/v2/.exec(output())?.[1]);
  });
  afterAll(async () => {
    wine?.stop();
    await screen?.stop();
    await source?.close();
  });

  it('has programs with an icon and a version, one with a console and one without', () => {
    const launcher = join(program, 'Acquisition Store.exe');
    expect([subsystem(executable), subsystem(launcher)]).toEqual([SUBSYSTEMS.console, SUBSYSTEMS.window]);
    for (const path of [executable, launcher]) {
      expect(spawnSync('wrestool', ['-l', path], { encoding: 'utf8' }).stdout).toMatch(/type=group_icon/);
      const version = spawnSync('wrestool', ['-x', '--raw', '--type=version', path]).stdout.toString('utf16le');
      expect(version).toContain(`ProductVersion\0${packageVersion()}\0`);
      expect(version).toContain(basename(path));
    }
  });

  it('brings the licenses of everything inside, and a bill of materials', () => {
    const { components } = JSON.parse(readFileSync(join(program, 'doc/sbom.cdx.json'), 'utf8')) as {
      components: { name: string; version: string }[];
    };
    expect(components.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['node', 'fastify', 'jpegxr', 'mingw-w64']),
    );
    const licenses = readFileSync(join(program, 'doc/licenses.txt'), 'utf8');
    for (const { name, version } of components) expect(licenses).toContain(`${name} ${version}\n\n`);
  });

  it('has the command line of the package', () => {
    expect(wine.mustRun(executable, '--version').trim()).toBe(packageVersion());
    const formats = spawnSync(process.execPath, [
      join(REPOSITORY, 'packages/server/dist/cli/main.js'),
      'formats',
      '--json',
    ]);
    expect(wine.mustRun(executable, 'formats', '--json')).toBe(formats.stdout.toString());
    expect(wine.run(executable, 'serve', '--port', 'x').status).toBe(2);
  });

  it('inspects and exports files in threads', () => {
    const inspected = wine.mustRun(executable, 'inspect', windowsPath(join(WARM_UP, 'zstd.czi')), '--json');
    expect(JSON.parse(inspected)).toMatchObject({ ok: true, source: { format: 'czi' } });
    mkdirSync(join(wine.drive, 'copies'));
    const args = ['--to', 'ome-tiff', '--out', 'C:\\copies\\copy.ome.tif'];
    wine.mustRun(executable, 'export', windowsPath(join(WARM_UP, 'zstd.czi')), ...args);
    const copy = wine.mustRun(executable, 'inspect', 'C:\\copies\\copy.ome.tif', '--json');
    expect(JSON.parse(copy).source).toMatchObject({ format: 'ome.tif', numChannels: 2 });
  });

  it.each(ACQUISITIONS)('serves %s like the server from source', async (name) => {
    await expectSame(join(WARM_UP, name));
  });

  it.each([
    ['Gray8', 'gray8'],
    ['Gray16', 'gray16'],
    ['Bgr48', 'rgb48'],
  ] as const)('decodes JPEG XR, %s', async (pixelType, data) => {
    const block = {
      dims: dims({ X: JPEG_XR_WIDTH, Y: JPEG_XR_HEIGHT }),
      pixelType: PIXEL_TYPES[pixelType],
      compression: 4,
      data: JPEG_XR[data],
    };
    await expectSame(writeTemp(folder, `${data}.czi`, writeCzi({ blocks: [block] })));
  });

  it('serves the pages of the package', async () => {
    for (const page of ['/demo/v2/', '/demo/', '/docs', '/openapi.json']) {
      const [from, to] = await Promise.all([source.url, packed].map((url) => fetch(url + page)));
      expect([page, to!.status, to!.headers.get('etag')]).toEqual([page, from!.status, from!.headers.get('etag')]);
    }
  });

  it('opens what is chosen in the dialog of Windows, and reports a cancelled one', async () => {
    const headers = { 'content-type': 'application/json' };
    const pick = (kind = 'file') =>
      fetch(`${packed}/api/v2/pick-and-open`, { method: 'POST', headers, body: JSON.stringify({ kind }) });
    for (const [kind, name] of [
      ['file', 'zstd.czi'],
      ['folder', 'small.ome.zarr'],
    ] as const) {
      const path = windowsPath(join(WARM_UP, name));
      // The field for the name has the keyboard from the start.
      const dialog = { locationKeys: ['ctrl+a'] };
      const answer = await choosePath(screen, DIALOG_TITLE, dialog, path, pick(kind));
      expect([answer.status, ((await answer.json()) as OpenResponse).source.path]).toEqual([200, path]);
    }
    const cancelled = pick();
    await screen.focus(DIALOG_TITLE);
    screen.keys('Escape');
    expect(await (await cancelled).json()).toMatchObject({ error: 'cancelled' });
    const log = readFileSync(join(wine.localAppData, 'acquisition-store', 'acqstore.log'), 'utf8');
    expect(log).toContain('"dialog":"acqstore-dialog.exe"');
    expect(log).not.toContain('PowerShell');
  });

  it('stops, and leaves no instance file', async () => {
    expect(wine.mustRun(executable, 'stop')).toContain('Stopped the server');
    expect(await stopped).toBe(0);
    const state = readdirSync(join(wine.localAppData, 'acquisition-store'));
    expect(state).toContain('acqstore.log');
    expect(state.filter((name) => name.startsWith('instance'))).toEqual([]);
  });

  it('says what is missing when it cannot start', async () => {
    const apart = join(folder, 'Acquisition Store.exe');
    copyFileSync(join(program, 'Acquisition Store.exe'), apart);
    const { child } = wine.start(apart);
    await screen.focus('Acquisition Store');
    screen.keys('Return');
    await until('the end of the launcher', () => child.exitCode !== null);
    expect(child.exitCode).toBe(1);
  });

  it('has the same bytes when it is built again', async () => {
    const first = readFileSync(zip);
    await buildPackages(TARGET, ['zip']);
    expect(readFileSync(zip).equals(first)).toBe(true);
  });

  /** Compares every plane, byte by byte, and the descriptions. */
  async function expectSame(path: string): Promise<void> {
    const [from, to] = await Promise.all([open(source.url, path), open(packed, windowsPath(path))]);
    expect(describeOpen(to)).toEqual(describeOpen(from));
    for (const [i, { dataUrl }] of from.channels.entries()) {
      const expected = await bytesOf(source.url + dataUrl);
      expect(expected.length).toBeGreaterThan(0);
      expect((await bytesOf(packed + to.channels[i]!.dataUrl)).equals(expected)).toBe(true);
    }
  }
});

function subsystem(path: string): number {
  const program = readFileSync(path);
  return program.readUInt16LE(program.readUInt32LE(0x3c) + 24 + 68);
}

async function open(url: string, path: string): Promise<OpenResponse> {
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(`${url}/api/v2/open`, { method: 'POST', headers, body: JSON.stringify({ path }) });
  expect(answer.status, await answer.clone().text()).toBe(200);
  return (await answer.json()) as OpenResponse;
}

/** What does not depend on the session and on where the file is. */
function describeOpen({ source, header, plane, warnings }: OpenResponse) {
  return { format: source.format, name: source.name, header, plane, warnings };
}

async function bytesOf(url: string): Promise<Buffer> {
  return Buffer.from(await (await fetch(url)).arrayBuffer());
}
