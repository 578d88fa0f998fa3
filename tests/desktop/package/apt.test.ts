/** The .deb as a user gets it: installed by apt, started from the menu by an ordinary user, and removed. */
import { spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { OpenResponse } from '../../../packages/client/src/contract/open.js';
import { buildDesktop } from '../../../packages/desktop/build/build.mjs';
import { buildPackages } from '../../../packages/desktop/build/packages.mjs';
import { chromiumPath, launchBrowser } from '../../support/browser.js';
import { REPOSITORY, SAMPLE } from '../../support/cli.js';
import { type Desktop, describeWithPrograms, programPath, startDesktop, until } from '../../support/desktop.js';
import { choosePath, DIALOGS } from '../../support/dialogs.js';
import { samplesRoot } from '../../support/samples.js';
import { AS_NOBODY, apt, filesOf, installFile, NOBODY, whyNotInstalled } from './apt.js';
import { addressOf, TARGET } from './built.js';

const NAME = 'acquisition-store';
const TITLE = 'Acquisition Store';
const ENTRY = `/usr/share/applications/${NAME}.desktop`;

const missing = whyNotInstalled();
const programs = ['apt-get', 'gio', 'update-mime-database', 'setpriv', 'Xvfb', 'openbox', 'xdotool', 'gcc'];

describeWithPrograms('the installed .deb', missing === undefined ? programs : [missing], () => {
  let desktop: Desktop;
  let files: string[];
  let scan: string;

  beforeAll(async () => {
    buildDesktop();
    const [deb] = (await buildPackages(TARGET, ['deb'])) as [string];
    installFile(deb);
    files = filesOf(NAME);
    desktop = await startDesktop({ anyUser: true });
    scan = join(desktop.folder, 'home', 'scan.tif');
    const real = samplesRoot && join(samplesRoot, 'tiff-olympus-kymograph/mapmanager+kymflow/Capillary1_0001');
    copyFileSync(real ? `${real}.tif` : SAMPLE, scan);
    if (real) copyFileSync(`${real}.txt`, join(desktop.folder, 'home', 'scan.txt'));
    // In place of the browser of the user, which the application rightly leaves open.
    const bin = join(desktop.folder, 'bin');
    mkdirSync(bin);
    const script = `#!/bin/sh\nprintf '%s\\n' "$1" >>'${join(desktop.folder, 'shown')}'\n`;
    writeFileSync(join(bin, 'xdg-open'), script, { mode: 0o755 });
    desktop.env['PATH'] = `${bin}:${desktop.env['PATH']}`;
    for (const path of [desktop.folder, join(desktop.folder, 'home')]) {
      chownSync(path, NOBODY, NOBODY);
      chmodSync(path, 0o700);
    }
  });
  afterAll(async () => {
    await desktop?.stop();
    apt('purge', NAME);
  });

  it('has its files as they were packed', () => {
    expect(spawnSync('dpkg', ['-V', NAME], { encoding: 'utf8' }).stdout).toBe('');
    expect(files).toContain('/usr/bin/acqstore');
  });

  it.each([
    ['zstd.czi', 'scan.czi', 'image/x-zeiss-czi'],
    ['zstd.czi', 'no extension', 'image/x-zeiss-czi'],
    ['scan.nd2', 'scan.nd2', 'image/x-nikon-nd2'],
    ['scan.lif', 'scan.lif', 'image/x-leica-lif'],
    ['scan.oir', 'scan.oir', 'image/x-olympus-oir'],
    ['deflate.ome.tif', 'scan.ome.tif', 'image/x-ome-tiff'],
  ])('makes the desktop recognize %s as %s', (file, name, type) => {
    mkdirSync(join(desktop.folder, 'types'), { recursive: true });
    const path = join(desktop.folder, 'types', name);
    copyFileSync(join(REPOSITORY, 'packages/server/warm-up', file), path);
    const info = spawnSync('gio', ['info', '-a', 'standard::content-type', path], { encoding: 'utf8' }).stdout;
    expect(info).toContain(`standard::content-type: ${type}\n`);
  });

  it('is started with a file by an ordinary user, shows its window, opens the file, and ends whole', async () => {
    spawn('setpriv', [...AS_NOBODY, 'gio', 'launch', ENTRY, scan], { env: desktop.env, stdio: 'inherit' });
    await until('the window', () => desktop.windows(TITLE).length > 0);
    const state = join(desktop.folder, 'home/.local/state', NAME);
    const log = join(state, 'acqstore.log');
    await until(
      'the file',
      () => existsSync(log) && /"url":"\/api\/v2\/open","status":200/.test(readFileSync(log, 'utf8')),
    );
    expect(readFileSync(log, 'utf8')).toContain(`"path":"${scan}","msg":"opening"`);
    const shown = join(desktop.folder, 'shown');
    // The shell creates the file before it writes the line.
    await until('the viewer', () => existsSync(shown) && readFileSync(shown, 'utf8').endsWith('\n'));
    expect(readFileSync(shown, 'utf8')).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/demo\/v2\/\?session=\w+\n$/);
    await expectViewer(readFileSync(shown, 'utf8').trim());
    await expectPlane(state);
    for (const { pid } of programsOf(desktop)) expect(ownerOf(pid) ?? NOBODY).toBe(NOBODY);
    spawnSync('xdotool', ['search', '--onlyvisible', '--name', TITLE, 'windowclose'], { env: desktop.env });
    await until('the end of its processes', () => programsOf(desktop).length === 0);
    expect(readdirSync(state).filter((name) => name.startsWith('instance-'))).toEqual([]);
  });

  /** Shows the file in a browser, at the address that the application has opened. */
  async function expectViewer(address: string): Promise<void> {
    if (chromiumPath() === undefined) return console.warn('NO CHROMIUM: the viewer of the application was not seen');
    const browser = await launchBrowser();
    try {
      const page = await browser.newPage();
      await page.goto(address);
      await page.getByText(samplesRoot ? /30.?000 lines × 38 px/ : /4.?000 lines × 96 px/).waitFor();
    } finally {
      await browser.close();
    }
  }

  /** Reads the file from the server of the application, as a script of the user would. */
  async function expectPlane(state: string): Promise<void> {
    const name = readdirSync(state).find((entry) => entry.startsWith('instance-'))!;
    const { url } = JSON.parse(readFileSync(join(state, name), 'utf8')) as { url: string };
    const opened = await fetch(`${url}/api/v2/open`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ path: scan }),
    });
    const { plane, channels } = (await opened.json()) as OpenResponse;
    if (samplesRoot) expect(plane.shape).toEqual([30_000, 38]);
    const samples = new Float32Array(await (await fetch(url + channels[0]!.dataUrl)).arrayBuffer());
    expect(samples.length).toBe(plane.shape[0]! * plane.shape[1]!);
    expect(samples.some((sample) => sample > 0)).toBe(true);
  }

  it.each(DIALOGS)('opens a file that an ordinary user chooses in the $name', async (dialog) => {
    expect(dialog.programs.filter((program) => programPath(program) === undefined)).toEqual([]);
    const screen = await startDesktop({ anyUser: true, withBus: dialog.withBus });
    for (const path of [screen.folder, join(screen.folder, 'home')]) chownSync(path, NOBODY, NOBODY);
    const path = join(screen.folder, 'home', 'chosen.ome.tif');
    copyFileSync(SAMPLE, path);
    const env = { ...screen.env, XDG_CURRENT_DESKTOP: dialog.desktopName };
    const server = spawn('setpriv', [...AS_NOBODY, '/usr/bin/acqstore', 'serve', '--port', '0'], {
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    try {
      const url = await addressOf(server);
      const picking = fetch(`${url}/api/v2/pick-and-open`, { method: 'POST' });
      const answer = await choosePath(screen, 'Acquisition Store: open', dialog, path, picking);
      expect(answer.status).toBe(200);
      const { source, plane } = (await answer.json()) as OpenResponse;
      expect([source.path, plane.shape]).toEqual([path, [4000, 96]]);
    } finally {
      server.kill('SIGTERM');
      await screen.stop();
    }
  });

  it('leaves no file when it is removed', () => {
    const removing = apt('remove', NAME);
    expect(removing.status, removing.stderr).toBe(0);
    expect(files.filter((path) => existsSync(path))).toEqual([]);
    expect(existsSync(`/usr/lib/${NAME}`)).toBe(false);
  });
});

/** Returns what runs on the desktop besides the desktop itself. */
function programsOf(desktop: Desktop) {
  return desktop.processes().filter(({ command }) => !/openbox|Xvfb/.test(command));
}

function ownerOf(pid: number): number | undefined {
  try {
    return lstatSync(`/proc/${pid}`).uid;
  } catch {
    return undefined;
  }
}
