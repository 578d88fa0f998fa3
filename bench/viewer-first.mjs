// From Enter in the path field to the first picture and to the whole one, in Chromium with the command line's server,
// beside fetching the same planes without a page. On its own, after a build: node bench/viewer-first.mjs
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { prepare, prepareLongScan } from './files.mjs';
import { call, startServer } from './processes.mjs';
import { chromiumFile } from './viewer.mjs';
import { drawnAt, enterPath } from './viewer-open.mjs';
import { prepareTimePoints } from './viewer-stack.mjs';

const OPENS = 5;

export async function benchFirstPictures(root, data, say) {
  say(`## Viewer: from Enter to a picture, median of ${OPENS} opens`);
  say();
  const executablePath = chromiumFile();
  if (!executablePath) return say('No Chromium was found.');
  /** @type {{ name: string, path: string, ends?: number[] }[]} */
  const files = [
    ...prepare(data).filter(({ planes }) => planes > 1),
    { name: 'two channels of 200,000×512 uint16', path: prepareLongScan(data) },
    // The picture is in the middle of its card.
    { name: 'T stack of 120 planes of 1024² uint16', path: prepareTimePoints(data), ends: [0.4, 0.6] },
  ];
  const server = await startServer(root, data, 18_773);
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  try {
    say(
      '| file | first picture, every channel | whole picture | open and first plane of each channel without a page |',
    );
    say('|---|--:|--:|--:|');
    for (const { name, path, ends } of files) {
      const [first, whole, bare] = [[], [], []];
      for (let i = 0; i < OPENS; i++) {
        bare.push(await bareTransfer(server.url, path));
        const times = await firstPicture(browser, server.url, path, ends ?? [0.01, 0.97]);
        first.push(times.first);
        whole.push(times.whole);
      }
      say(`| ${name} | ${seconds(first)} | ${seconds(whole)} | ${seconds(bare)} |`);
    }
    say();
  } finally {
    await browser.close();
    server.stop();
  }
}

/** Opening and fetching the planes without a page, in the type of the file. */
async function bareTransfer(url, path) {
  const start = performance.now();
  const { body } = await call('POST', `${url}/api/v2/open`, { path });
  const planes = body.channels.map(async ({ dataUrl }) => {
    const response = await fetch(`${url}${dataUrl}?type=native`);
    await response.arrayBuffer();
  });
  await Promise.all(planes);
  const time = performance.now() - start;
  await call('DELETE', `${url}/api/v2/sessions/${body.sessionId}`);
  return time;
}

/** Milliseconds from the press of Enter until every card has samples at its start and at its end, as shares of its width. */
async function firstPicture(browser, url, path, ends) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  try {
    await page.goto(`${url}/demo/v2/`);
    const pressed = await enterPath(page, path);
    await drawnAt(page, ends[0]);
    const first = performance.now() - pressed;
    await drawnAt(page, ends[1]);
    return { first, whole: performance.now() - pressed };
  } finally {
    await page.keyboard.press('Alt+w');
    await page.close();
  }
}

function seconds(times) {
  const middle = [...times].sort((a, b) => a - b)[times.length >> 1];
  return `${(middle / 1000).toFixed(2)} s`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const root = join(dirname(fileURLToPath(import.meta.url)), '..');
  await benchFirstPictures(root, join(root, 'bench/data'), (line = '') => process.stdout.write(`${line}\n`));
}
