/** The viewer in a cell of JupyterLab and of marimo, as they ship, in Chromium. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import type { Browser, FrameLocator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { chromiumPath, launchBrowser } from '../support/browser.js';
import { MAIN, REPOSITORY } from '../support/cli.js';
import { LONG } from '../support/long.js';
import { currentPython, PYTHON_CLIENT, runPytest } from '../support/python-client.js';
import { tempFolder } from '../support/temp.js';

const python = LONG ? currentPython('requirements-notebook.txt') : undefined;
const available = python !== undefined && chromiumPath() !== undefined;
if (!available) console.warn('NO CHROMIUM OR NO JUPYTERLAB: the viewer in a notebook was not tested');

const FILE = join(REPOSITORY, 'examples', 'vessel-kymograph.ome.tif');
const GUIDE = readFileSync(join(REPOSITORY, 'docs', 'how-to', 'notebooks.md'), 'utf8');
/** The first program of the guide. */
const OPEN = (/```python\n([\s\S]*?)\n```/.exec(GUIDE)?.[1] ?? '').replace('/data/scan.tif', FILE);
const MARK = 'w.regions = [{"kind": "region", "points": [[100, 10], [900, 40]], "name": "vessel"}]';
const PRINT = 'print("marks", [(r["id"], r["name"], r["points"]) for r in w.regions], sorted(w.contrast))';
const MARKS = "marks [('1', 'vessel', [[100.0, 10.0], [900.0, 40.0]])] ['Calcium', 'Vessel']";

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as { port: number };
      probe.close(() => resolve(port));
    });
  });
}

function notebook(cells: string[]): string {
  const source = cells.map((text, i) => ({
    ...{ cell_type: 'code', id: `cell-${i}`, metadata: {}, execution_count: null, outputs: [] },
    source: text,
  }));
  const kernelspec = { name: 'python3', display_name: 'Python 3', language: 'python' };
  return JSON.stringify({ cells: source, metadata: { kernelspec }, nbformat: 4, nbformat_minor: 5 });
}

describe.runIf(available)('the viewer in a notebook', () => {
  const folder = tempFolder();
  const env = {
    ...process.env,
    ACQSTORE_COMMAND: `"${process.execPath}" "${MAIN}"`,
    ACQSTORE_STATE_DIR: join(folder, 'state'),
    PYTHONPATH: join(PYTHON_CLIENT, 'src'),
    PYTHONDONTWRITEBYTECODE: '1',
    HOME: folder,
  };
  const running: ChildProcess[] = [];
  let browser: Browser;
  let page: Page;
  let complaints: string[];

  beforeAll(async () => {
    mkdirSync(join(folder, 'state'));
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    for (const child of running) child.kill();
  });
  beforeEach(async () => {
    page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
    complaints = [];
    page.on('console', (message) => {
      if (message.type() === 'error') complaints.push(message.text());
    });
  });
  afterEach(() => page.close());

  async function start(args: string[], port: number): Promise<string> {
    const child = spawn(python!, args, { cwd: folder, env, stdio: 'ignore' });
    running.push(child);
    const url = `http://localhost:${port}`;
    const answers = () =>
      fetch(url).then(
        () => true,
        () => false,
      );
    await expect.poll(answers, { timeout: 60_000, interval: 300 }).toBe(true);
    return url;
  }

  const lab = (port: number, more: string[] = []) =>
    start(
      [
        ...['-m', 'jupyterlab', '--no-browser', '--allow-root', `--port=${port}`, '--IdentityProvider.token='],
        ...['--LabApp.news_url=None', '--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate', ...more],
      ],
      port,
    );

  async function runCells(url: string, cells: string[]): Promise<FrameLocator> {
    writeFileSync(join(folder, 'scan.ipynb'), notebook(cells));
    await page.goto(`${url}/lab/tree/scan.ipynb?reset`);
    await page.locator('.jp-NotebookPanel .jp-Cell').first().waitFor({ timeout: 60_000 });
    // What is run before the kernel is ready is lost.
    await page.getByText('Python 3 (ipykernel) | Idle').waitFor({ timeout: 60_000 });
    await page.locator('.jp-CodeCell').first().click();
    await runNext();
    return page.frameLocator('iframe[title^="Viewer"]');
  }
  const runNext = () => page.keyboard.press('Shift+Enter');

  /** Runs the next cell until it prints a text: the viewer takes a moment to tell the kernel. */
  async function expectPrint(cell: number, text: string): Promise<void> {
    const output = page.locator('.jp-CodeCell').nth(cell).locator('.jp-OutputArea-output');
    await expect
      .poll(
        async () => {
          await page.locator('.jp-CodeCell').nth(cell).locator('.cm-content').click();
          await page.keyboard.press('Control+Enter');
          await page.waitForTimeout(700);
          return (await output.allInnerTexts()).join('\n').trim();
        },
        { timeout: 20_000 },
      )
      .toBe(text);
  }

  it('is shown in JupyterLab, and both sides see what the other does', { timeout: 180_000 }, async () => {
    const url = await lab(await freePort(), ['--ServerApp.jpserver_extensions={"jupyter_server_proxy": False}']);
    const viewer = await runCells(url, [OPEN, MARK, PRINT]);
    await viewer.getByRole('tab').first().waitFor({ timeout: 30_000 });
    expect(await page.locator('iframe[title^="Viewer"]').getAttribute('src')).not.toContain('/proxy/');
    await page.locator('.jp-CodeCell').nth(1).locator('.cm-content').click();
    await runNext();
    await expectPrint(2, MARKS);
    await page.screenshot({ path: join(process.env['ACQSTORE_SHOTS'] ?? folder, 'jupyterlab.png') });
    // What is undone in the viewer is gone in Python.
    await viewer.locator('canvas').first().click();
    await page.keyboard.press('Control+z');
    await expectPrint(2, "marks [] ['Calcium', 'Vessel']");
    expect(complaints.filter((text) => /acq|viewer|frame/i.test(text))).toEqual([]);
  });

  it('is shown through jupyter-server-proxy, below a path, with an acquisition as the last line', {
    timeout: 180_000,
  }, async () => {
    const url = await lab(await freePort(), ['--ServerApp.base_url=/user/me/']);
    const viewer = await runCells(`${url}/user/me`, [OPEN.replace(/\nw$/, `\nacq.open(${JSON.stringify(FILE)})`)]);
    await viewer.getByRole('tab').first().waitFor({ timeout: 30_000 });
    expect(await page.locator('iframe[title^="Viewer"]').getAttribute('src')).toMatch(
      /\/user\/me\/proxy\/\d+\/demo\/v2\/$/,
    );
  });

  it('is shown in marimo', { timeout: 180_000 }, async () => {
    const cell = `import marimo\napp = marimo.App()\n@app.cell\ndef _():\n${OPEN.replace(/\nw$/, '\nw').replaceAll(/^/gm, '    ')}\n    return\n`;
    writeFileSync(join(folder, 'scan.py'), `${cell}if __name__ == "__main__":\n    app.run()\n`);
    const port = await freePort();
    const url = await start(['-m', 'marimo', 'run', 'scan.py', '--headless', '--no-token', '--port', `${port}`], port);
    await page.goto(url);
    const viewer = page.frameLocator('iframe[title^="Viewer"]');
    await viewer.getByRole('tab').first().waitFor({ timeout: 60_000 });
    await page.screenshot({ path: join(process.env['ACQSTORE_SHOTS'] ?? folder, 'marimo.png') });
  });

  it('checks what it is given, and says where it is', { timeout: 120_000 }, () => {
    expect(runPytest(python!, ['test_viewer.py'])).toMatch(/[67] passed/);
  });

  it('is a picture where nothing runs', { timeout: 180_000 }, async () => {
    writeFileSync(join(folder, 'static.ipynb'), notebook([OPEN]));
    const convert = (...args: string[]) =>
      execFileSync(python!, ['-m', 'nbconvert', ...args, 'static.ipynb'], { cwd: folder, env, stdio: 'pipe' });
    convert('--to', 'markdown', '--execute', '--output', 'static');
    expect(readFileSync(join(folder, 'static.md'), 'utf8')).toMatch(/!\[png\]\(static_files\/.*\.png\)/);
    convert('--to', 'html', '--execute', '--ExecutePreprocessor.store_widget_state=False', '--output', 'static');
    await page.goto(`file://${join(folder, 'static.html')}`);
    const size = await page
      .locator('img[src^="data:image/png"]')
      .evaluate((image: HTMLImageElement) => [image.naturalWidth, image.naturalHeight]);
    expect(size).toEqual([480, 96]);
    convert('--to', 'notebook', '--execute', '--output', 'executed');
    const stored = readFileSync(join(folder, 'executed.ipynb'), 'utf8');
    expect(stored).toContain('widget-state+json');
    expect(stored).not.toMatch(/"token"|"session"|sessionId/);
  });
});
