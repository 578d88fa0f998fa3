/** The control page with the real dialog of the system, and with a real drag, on a virtual screen. */
import { spawn, spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { showShell } from '../../packages/desktop/src/window/shell.js';
import { MAIN, REPOSITORY, SAMPLE } from '../support/cli.js';
import { buildPage, type ControlPage, showControlPage } from '../support/control-page.js';
import { type Desktop, describeWithPrograms, startDesktop, until } from '../support/desktop.js';
import { Desk } from '../support/supervisor.js';

const NAME = `a 'b' µ | c$.ome.tif`;
const DIALOG = 'Acquisition Store: open a file';
const PROGRAMS = ['Xvfb', 'openbox', 'xdotool', 'zenity', 'chromium', 'gcc'];

describeWithPrograms('the control page on a real screen', PROGRAMS, () => {
  const desk = new Desk();
  let desktop: Desktop;
  let control: ControlPage;
  let file: string;

  beforeAll(async () => {
    desktop = await startDesktop();
    mkdirSync(join(desktop.folder, 'data'));
    file = join(desktop.folder, 'data', NAME);
    copyFileSync(SAMPLE, file);
    const env = { ...desktop.env, WAYLAND_DISPLAY: '' };
    await desk.start({
      assets: await buildPage(),
      serverProgram: { command: process.execPath, args: [MAIN, 'serve'], env },
    });
    await desk.until('running');
    control = await showControlPage(desk);
  });
  afterAll(async () => {
    await control?.browser.close();
    await desk.close();
    await desktop?.stop();
    expect(desktop.processes()).toEqual([]);
  });

  const dialogs = () => desktop.processes().filter(({ command }) => /zenity/.test(command));
  const openDialog = async () => {
    await control.page.getByRole('button', { name: 'Open file…' }).click();
    await control.page.getByText('A file dialog is open on the desktop.').waitFor();
    await desktop.focus(DIALOG);
  };

  it('opens the file that is chosen in the dialog, in the viewer', async () => {
    const popup = control.context.waitForEvent('page', { timeout: 40_000 });
    await openDialog();
    for (let attempt = 0; attempt < 5 && dialogs().length > 0; attempt++) {
      await sleep(1_000);
      desktop.keys('ctrl+l', 'ctrl+a');
      desktop.type(file);
      await sleep(500);
      desktop.keys('Return');
      await sleep(500);
    }
    const viewer = await popup;
    await viewer.getByRole('tab', { selected: true, name: NAME }).waitFor();
    expect(viewer.url()).toContain('/demo/v2/');
    await viewer.close();
    await expect.poll(() => desk.state.recent[0]?.path).toBe(file);
    expect(desk.state.open?.list.some(({ path, openedBy }) => path === file && openedBy.kind === 'window')).toBe(true);
  });

  it('goes on when the dialog is closed, and closes it when the user cancels on the page', async () => {
    const waiting = control.page.getByText('A file dialog is open on the desktop.');
    await openDialog();
    await sleep(500);
    desktop.keys('Escape');
    await waiting.waitFor({ state: 'detached' });
    expect(await control.page.getByRole('alert').innerText()).toBe('');
    await openDialog();
    await control.page.getByRole('button', { name: 'Cancel' }).click();
    await waiting.waitFor({ state: 'detached' });
    await until('the end of the dialog', () => dialogs().length === 0);
    expect(control.errors).toEqual([]);
  });

  it('opens a file by its path that is dragged from another window to that of the application', async () => {
    const shell = join(desktop.folder, 'hvshell');
    const source = join(REPOSITORY, 'packages', 'desktop', 'shell', 'hvshell.c');
    expect(spawnSync('gcc', ['-o', shell, source]).status).toBe(0);
    const before = { ...process.env };
    Object.assign(process.env, desktop.env);
    const window = await showShell(shell, desk.supervisor.url, 'Control page').finally(() => {
      process.env = before;
    });
    if (!window) {
      console.warn('NO WEBKITGTK: dragging to the window was not tested');
      return;
    }
    mkdirSync(join(desktop.folder, 'drag'));
    const dragged = join(desktop.folder, 'drag', 'dragged &.ome.tif');
    copyFileSync(SAMPLE, dragged);
    // The list of a file dialog can be dragged from.
    const args = ['--file-selection', '--title=Source of the drag', `--filename=${dragged}`];
    const list = spawn('zenity', args, { env: desktop.env, stdio: 'ignore' });
    try {
      const x = (...words: string[]) =>
        spawnSync('xdotool', words, { env: desktop.env, encoding: 'utf8' }).stdout.trim();
      const place = async (title: string, left: number) => {
        const id = await until(title, () => desktop.windows(title)[0]);
        x('windowsize', '--sync', id, '600', '500');
        x('windowmove', '--sync', id, String(left), '100');
      };
      await place('Control page', 650);
      await place('Source of the drag', 20);
      for (let attempt = 0; attempt < 4 && desk.state.recent[0]?.path !== dragged; attempt++) {
        await sleep(1_500);
        // The first row of the list.
        drag(x, { x: 260, y: 205 }, { x: 900, y: 400 });
        await sleep(1_000);
      }
      await expect.poll(() => desk.state.recent.map(({ path }) => path)).toContain(dragged);
    } finally {
      list.kill('SIGKILL');
      await window.close();
    }
  });
});

interface Point {
  x: number;
  y: number;
}

function drag(x: (...words: string[]) => string, from: Point, to: Point): void {
  const steps = 20;
  const move = (part: number) => {
    const at = (key: 'x' | 'y') => String(Math.round(from[key] + (to[key] - from[key]) * part));
    x('mousemove', at('x'), at('y'));
  };
  move(0);
  x('sleep', '0.2', 'mousedown', '1', 'sleep', '0.2');
  for (let i = 1; i <= steps; i++) {
    move(i / steps);
    x('sleep', '0.05');
  }
  x('sleep', '0.5', 'mouseup', '1');
}
