// Frames of the viewer's renderer in Chromium beside what a page without a renderer does, with the same plane.
// On its own: node bench/viewer.mjs
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { build } from 'vite';

const here = dirname(fileURLToPath(import.meta.url));
const CHROMIUM = [
  process.env.CHROMIUM ?? '',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
];

export function chromiumFile() {
  return CHROMIUM.find((path) => path !== '' && existsSync(path));
}

/** @returns milliseconds that a page without a renderer needs for a change of contrast */
export async function benchViewer(say) {
  const executablePath = chromiumFile();
  say('## Viewer: 200,000 lines of 512 samples on 1200 × 300 pixels');
  say();
  if (!executablePath) return say('No Chromium was found.');
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  try {
    const page = await browser.newPage();
    await page.setContent('<!doctype html><title>bench</title>');
    await page.addScriptTag({ content: await bundle() });
    await page.evaluate(() => {
      globalThis.data = globalThis.bench.plane();
    });
    const session = await page.context().newCDPSession(page);
    const memory = async () => {
      const { usedSize, backingStorageSize = 0 } = await session.send('Runtime.getHeapUsage');
      return (usedSize + backingStorageSize) / 2 ** 20;
    };
    const before = await memory();
    const own = await page.evaluate(() => globalThis.bench.ours('chosen', globalThis.data));
    const heap = (await memory()) - before;
    const other = own.kind === 'canvas' ? 'webgl2' : 'canvas';
    const second = await page.evaluate((kind) => globalThis.bench.ours(kind, globalThis.data), other);
    const whole = await page.evaluate(() => globalThis.bench.wholeImage(globalThis.data));
    report(say, own, second, whole, heap);
    return median(whole.contrast.times);
  } finally {
    await browser.close();
  }
}

function report(say, own, second, whole, heap) {
  const graphics = own.kind === 'canvas' ? 'without a graphics card (WebGL2 by software)' : 'with a graphics card';
  say(
    `Milliseconds of the page's thread per frame, median and worst, ${graphics}; the page chooses \`${own.kind}\`. ` +
      '"Whole image" colors every sample into an image of the size of the plane, anew for each change of contrast, and ' +
      'lets the browser scale it, which loses single spikes.',
  );
  say();
  say(
    `| movement | \`${own.kind}\` | frames a second | \`${second.kind}\` | whole image | whole image ÷ \`${own.kind}\` |`,
  );
  say('|---|--:|--:|--:|--:|--:|');
  for (const name of Object.keys(own.movements)) {
    const mine = own.movements[name];
    const theirs = median(whole[name].times);
    const pair = ({ times }) => `${median(times).toFixed(1)}, ${Math.max(...times).toFixed(0)}`;
    say(
      `| ${name} | ${pair(mine)} | ${(1000 / mean(mine.intervals)).toFixed(0)} | ${pair(second.movements[name])} | ` +
        `${theirs.toFixed(0)} | ${(theirs / median(mine.times)).toFixed(1)} |`,
    );
  }
  say();
  say(
    `Prepared in slices in ${(own.prepared / 1000).toFixed(1)} s, longest task ${Math.round(own.longest)} ms` +
      `${own.longest === 0 ? ' (none above 50 ms)' : ''}; ` +
      `the page's heap grows by ${Math.round(heap)} MiB for a plane of ${Math.round((200_000 * 512 * 4) / 2 ** 20)} MiB.`,
  );
  say();
}

function median(values) {
  return [...values].sort((a, b) => a - b)[values.length >> 1];
}

function mean(values) {
  return values.reduce((sum, value) => sum + value) / values.length;
}

async function bundle() {
  /** @type {import('vite').LibraryOptions} */
  const lib = { entry: join(here, 'viewer-page.mjs'), formats: ['iife'], name: 'bench' };
  const result = await build({ configFile: false, logLevel: 'error', build: { write: false, target: 'es2022', lib } });
  const [output] = [result].flat();
  if (!('output' in output)) throw new Error('the build watches');
  return output.output[0].code;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await benchViewer((text = '') => console.log(text));
