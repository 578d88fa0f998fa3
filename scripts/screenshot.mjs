// Makes docs/demo.png: the viewer with the sample, in Chromium. Needs a build and Chromium (CHROMIUM names it).
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const target = process.argv[2] ?? join(root, 'docs', 'demo.png');
const state = mkdtempSync(join(tmpdir(), 'acq-shot-'));
const server = spawn(
  process.execPath,
  [join(root, 'packages/server/dist/cli/main.js'), 'serve', '--port', '0', '--state-dir', state],
  {
    stdio: ['ignore', 'pipe', 'ignore'],
  },
);

/** @returns {Promise<string>} */
function baseUrl() {
  return new Promise((resolve, reject) => {
    let text = '';
    server.stdout.on('data', (part) => {
      text += part;
      const [, url] = /API +(\S+)\/api/.exec(text) ?? [];
      if (url) resolve(url);
    });
    server.on('exit', () => reject(new Error(`the server ended: ${text}`)));
  });
}

try {
  const url = await baseUrl();
  const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium';
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 }, colorScheme: 'light' });
  // The picture shows a path that fits any machine.
  await page.route('**/api/v2/open', async (route) => {
    const response = await route.fetch();
    const answer = await response.json();
    answer.source.path = `/data/${answer.source.name}`;
    await route.fulfill({ response, json: answer });
  });
  await page.goto(url);
  await page.locator('.app-sample').click();
  await page.getByText('10:00 left').waitFor();
  // A point on a calcium transient, and the samples of the whole line beside it.
  const image = await page.locator('[role=application] canvas').first().boundingBox();
  if (!image) throw new Error('the viewer shows no image');
  await page.mouse.move(image.x + 0.36 * image.width, image.y + 0.13 * image.height);
  await page.waitForTimeout(1500);
  await page.screenshot({ path: target });
  await browser.close();
} finally {
  const ended = new Promise((resolve) => server.once('close', resolve));
  server.kill('SIGINT');
  await ended;
  rmSync(state, { recursive: true, force: true });
}
