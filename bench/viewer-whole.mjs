// The whole viewer in Chromium with a plane of 200,000 lines of 512 samples, from the command line's server: time to the
// first picture, frames of what hands do, memory. On its own, after a build: node bench/viewer-whole.mjs
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { call, startServer } from './processes.mjs';
import { chromiumFile } from './viewer.mjs';
import { drawnAt, enterPath } from './viewer-open.mjs';

const ROWS = 200_000;
const COLUMNS = 512;
const PLANE_BYTES = ROWS * COLUMNS * 4;
const MIB = 2 ** 20;
const FRAMES = 60;

/** `whole`: milliseconds that a page without a renderer needs for a change of contrast. */
export async function benchWholeViewer(root, data, say, whole) {
  say('## Viewer: the page with 200,000 lines of 512 samples');
  say();
  const executablePath = chromiumFile();
  if (!executablePath) return say('No Chromium was found.');
  const path = join(data, 'long.tif');
  if (!existsSync(path)) writeLongScan(path);
  const server = await startServer(root, data, 18_769);
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  try {
    const page = await browser.newPage({ viewport: { width: 1280, height: 720 } });
    await page.goto(`${server.url}/demo/v2/`);
    await page.locator('.app-sample').waitFor();
    const memory = await memoryOf(browser, page);
    const before = await memory();
    const bare = Math.min(...(await threeTimes(() => bareTransfer(server.url, path))));
    const times = await firstPicture(page, server.url, path);
    const after = await memory();
    const movements = await measureMovements(page);
    const later = await memory();
    await page.keyboard.press('Alt+w');
    // A plane stays prepared for some seconds, in case it is shown again.
    await page.waitForTimeout(5000);
    report(say, { bare, times, before, after, later, closed: await memory(), movements, whole });
  } finally {
    await browser.close();
    server.stop();
  }
}

async function threeTimes(work) {
  return [await work(), await work(), await work()];
}

/** Opening and fetching the plane without a page. */
async function bareTransfer(url, path) {
  const start = performance.now();
  const { body } = await call('POST', `${url}/api/v2/open`, { path });
  const response = await fetch(url + body.channels[0].dataUrl);
  await response.arrayBuffer();
  const time = performance.now() - start;
  await call('DELETE', `${url}/api/v2/sessions/${body.sessionId}`);
  return time;
}

/** From the press of Enter: samples at both ends of the image, and all samples counted. */
async function firstPicture(page, url, path) {
  await page.goto(`${url}/demo/v2/`);
  const start = await enterPath(page, path);
  await drawnAt(page, 0.01);
  const first = performance.now() - start;
  await drawnAt(page, 0.97);
  const all = performance.now() - start;
  await page.locator('.contrast-handle').first().waitFor();
  return { first, all, counted: performance.now() - start };
}

/** MiB: the page's heap with the arrays that belong to it, and what the system has given to its processes. */
async function memoryOf(browser, page) {
  const session = await page.context().newCDPSession(page);
  const system = await browser.newBrowserCDPSession();
  return async () => {
    await session.send('HeapProfiler.collectGarbage');
    const { usedSize, backingStorageSize = 0 } = await session.send('Runtime.getHeapUsage');
    const { processInfo } = await system.send('SystemInfo.getProcessInfo');
    const resident = (type) =>
      processInfo
        .filter((one) => one.type === type)
        .reduce(
          (sum, { id }) => sum + 1024 * Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${id}/status`, 'utf8'))[1]),
          0,
        );
    return {
      heap: usedSize / MIB,
      buffers: backingStorageSize / MIB,
      renderer: resident('renderer') / MIB,
      gpu: resident('GPU') / MIB,
    };
  };
}

/** Events of hands, one a frame, made in the page: [what, frames of `step(i)`]. */
const MOVEMENTS = {
  'contrast by keys': `
    const handle = document.querySelector('.contrast-handle[data-end="max"]');
    return () => handle.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowLeft', bubbles: true, cancelable: true }));`,
  'pointer over the image, profiles follow': `
    return (i) => point('pointermove', 0.2 + i / 120, 0.3 + i / 200);`,
  'zoom by the wheel, all to 400 lines': `
    return () => wheel(0.4, 0.5, -60, true);`,
  'pan at 400 lines': `
    point('pointerdown', 0.5, 0.5, { button: 0, buttons: 1, shiftKey: true });
    return (i) => point('pointermove', 0.5 - i / 150, 0.5, { buttons: 1, shiftKey: true });`,
  'zoom out again': `
    point('pointerup', 0.5, 0.5, { button: 0 });
    return () => wheel(0.6, 0.5, 60, true);`,
  'pan at 30,000 lines': `
    for (let i = 0; i < 11; i++) wheel(0.5, 0.5, -100, true);
    await new Promise((done) => setTimeout(done, 800));
    point('pointerdown', 0.5, 0.5, { button: 0, buttons: 1, shiftKey: true });
    return (i) => point('pointermove', 0.5 - i / 150, 0.5, { buttons: 1, shiftKey: true });`,
};

const AROUND = (body, frames) => `(async () => {
  const stage = document.querySelector('.image-stage');
  const canvas = /** @type {HTMLCanvasElement} */ (document.querySelector('canvas.image-canvas'));
  const at = (x, y) => {
    const box = canvas.getBoundingClientRect();
    return { clientX: box.left + x * box.width, clientY: box.top + y * box.height, bubbles: true, cancelable: true };
  };
  const point = (type, x, y, more) => stage.dispatchEvent(new PointerEvent(type, { ...at(x, y), pointerId: 1, pointerType: 'mouse', ...more }));
  const wheel = (x, y, deltaY, shiftKey) => stage.dispatchEvent(new WheelEvent('wheel', { ...at(x, y), deltaY, shiftKey }));
  const make = async () => {${body}};
  const step = await make();
  let longest = 0;
  const watch = new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) longest = Math.max(longest, duration);
  });
  watch.observe({ type: 'longtask' });
  const stamps = [];
  for (let i = 0; i < ${frames}; i++) {
    stamps.push(await new Promise(requestAnimationFrame));
    step(i);
  }
  stamps.push(await new Promise(requestAnimationFrame));
  watch.disconnect();
  return { longest, intervals: stamps.slice(1).map((stamp, i) => stamp - stamps[i]) };
})()`;

async function measureMovements(page) {
  const session = await page.context().newCDPSession(page);
  // Time that the processor worked, not time that passed: other programs do not count.
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  const metrics = async () => {
    const { metrics: list } = await session.send('Performance.getMetrics');
    return Object.fromEntries(list.map(({ name, value }) => [name, value * 1000]));
  };
  const results = {};
  for (const [name, body] of Object.entries(MOVEMENTS)) {
    await page.waitForTimeout(500);
    const before = await metrics();
    const { intervals, longest } = await page.evaluate(AROUND(body, FRAMES));
    const after = await metrics();
    const perFrame = (metric) => (after[metric] - before[metric]) / FRAMES;
    results[name] = { thread: perFrame('TaskDuration'), script: perFrame('ScriptDuration'), intervals, longest };
  }
  return results;
}

function report(say, { bare, times, before, after, later, closed, movements, whole }) {
  const seconds = (value) => `${(value / 1000).toFixed(1)} s`;
  say(
    `Opened by its path: first samples on screen after ${seconds(times.first)}, all after ${seconds(times.all)}, every sample ` +
      `counted for the histogram after ${seconds(times.counted)}; opening and fetching the plane without a page ` +
      `takes ${seconds(bare)} (first ÷ bare ${(times.first / bare).toFixed(2)}).`,
  );
  say();
  say(
    "Milliseconds of work of the page's thread per frame, 1280 × 720, without a graphics card: the processor draws what a card " +
      'would. "Whole image" is the thread\'s time when every sample is colored into an image as large as the plane.',
  );
  say();
  say('| hands | thread, ms a frame | of it script | longest task | frames a second | whole image ÷ thread |');
  say('|---|--:|--:|--:|--:|--:|');
  for (const [name, { thread, script, intervals, longest }] of Object.entries(movements)) {
    const rate = 1000 / (intervals.reduce((sum, one) => sum + one, 0) / intervals.length);
    const theirs = /contrast/.test(name) ? whole : undefined;
    say(
      `| ${name} | ${thread.toFixed(1)} | ${script.toFixed(1)} | ${longest === 0 ? 'below 50 ms' : `${Math.round(longest)} ms`} | ` +
        `${rate.toFixed(0)} | ${theirs === undefined ? '–' : (theirs / thread).toFixed(1)} |`,
    );
  }
  say();
  const plane = PLANE_BYTES / MIB;
  const grown = (name, from = after) => from[name] - before[name];
  say(
    `Memory, of a plane of ${Math.round(plane)} MiB: JavaScript objects grow by ${grown('heap').toFixed(1)} MiB and arrays by ` +
      `${Math.round(grown('buffers'))} MiB (${(grown('buffers') / plane).toFixed(2)} planes); the page's process by ` +
      `${(grown('renderer') / plane).toFixed(2)} planes, the graphics process by ${(grown('gpu') / plane).toFixed(2)}. ` +
      `After all movements arrays are ${(grown('buffers', later) / plane).toFixed(2)} planes, after closing the tab ` +
      `${(grown('buffers', closed) / plane).toFixed(2)}.`,
  );
  say();
}

/** One page of uncompressed uint16, a slow wave with noise. */
function writeLongScan(path) {
  mkdirSync(dirname(path), { recursive: true });
  const tags = [
    [256, COLUMNS],
    [257, ROWS],
    [258, 16],
    [259, 1],
    [262, 1],
    [273, 0],
    [277, 1],
    [278, ROWS],
    [279, ROWS * COLUMNS * 2],
  ];
  const head = Buffer.alloc(8 + 2 + tags.length * 12 + 4);
  head.write('II*\0', 'latin1');
  head.writeUInt32LE(8, 4);
  head.writeUInt16LE(tags.length, 8);
  for (const [i, [tag, value]] of tags.entries()) {
    head.writeUInt16LE(tag, 10 + i * 12);
    head.writeUInt16LE(4, 12 + i * 12);
    head.writeUInt32LE(1, 14 + i * 12);
    head.writeUInt32LE(tag === 273 ? head.length : value, 18 + i * 12);
  }
  const file = openSync(path, 'w');
  writeSync(file, head);
  let state = 1;
  for (let row = 0; row < ROWS; row += 1000) {
    const band = new Uint16Array(1000 * COLUMNS);
    for (let i = 0; i < band.length; i++) {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0;
      band[i] = 40 + 20 * Math.sin((row + Math.floor(i / COLUMNS)) / 3000) + (state >>> 27);
    }
    writeSync(file, new Uint8Array(band.buffer));
  }
  closeSync(file);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const root = join(dirname(fileURLToPath(import.meta.url)), '..');
  await benchWholeViewer(root, join(root, 'bench', 'data'), (text = '') => console.log(text));
}
