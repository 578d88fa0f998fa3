// Makes packages/viewer/src/files/sample.webp, the picture of the sample on the start page, from the planes of the sample. Needs a build
// and Chromium (CHROMIUM names it).
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const state = mkdtempSync(join(tmpdir(), 'acq-picture-'));
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

/**
 * Runs in a page of the server: draws the first 1,500 lines, time to the right, channels in green and magenta.
 * @returns {Promise<string>} the picture in base64
 */
async function draw() {
  const [width, height, lines] = [400, 125, 1500];
  const { examples } = await (await fetch('/api/v2/examples')).json();
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify({ path: examples[0].path });
  const { channels, plane } = await (await fetch('/api/v2/open', { method: 'POST', headers, body })).json();
  const columns = plane.shape[1];
  const canvas = document.createElement('canvas');
  Object.assign(canvas, { width, height });
  const context = canvas.getContext('2d');
  if (!context) throw new Error('no canvas');
  const image = context.createImageData(width, height);
  const tints = [
    [0.2, 1, 0.45],
    [1, 0.25, 0.9],
  ];
  for (const [c, tint] of tints.entries()) {
    const samples = new Float32Array(await (await fetch(channels[c].dataUrl)).arrayBuffer());
    const sorted = samples.slice(0, lines * columns).sort();
    const [low = 0, high = 1] = [sorted[Math.floor(0.05 * sorted.length)], sorted[Math.floor(0.997 * sorted.length)]];
    for (let x = 0; x < width; x++) {
      const [first, end] = [Math.floor((x * lines) / width), Math.floor(((x + 1) * lines) / width)];
      for (let y = 0; y < height; y++) {
        const column = Math.floor((y * columns) / height);
        let sum = 0;
        for (let line = first; line < end; line++) sum += samples[line * columns + column] ?? 0;
        const level = Math.max(0, (sum / (end - first) - low) / (high - low));
        for (const [k, part] of tint.entries()) {
          const at = 4 * (y * width + x) + k;
          image.data[at] = (image.data[at] ?? 0) + 255 * level * part;
        }
        image.data[4 * (y * width + x) + 3] = 255;
      }
    }
  }
  context.putImageData(image, 0, 0);
  return canvas.toDataURL('image/webp', 0.3).replace(/^.*,/, '');
}

try {
  const url = await baseUrl();
  const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium';
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  const page = await browser.newPage();
  await page.goto(`${url}/docs`);
  writeFileSync(
    join(root, 'packages', 'viewer', 'src', 'files', 'sample.webp'),
    Buffer.from(await page.evaluate(draw), 'base64'),
  );
  await browser.close();
} finally {
  const ended = new Promise((resolve) => server.once('close', resolve));
  server.kill('SIGINT');
  await ended;
  rmSync(state, { recursive: true, force: true });
}
