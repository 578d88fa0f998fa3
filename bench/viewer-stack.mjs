// Planes shown while the slider of a stack is dragged, also in orthogonal views, in Chromium with the command line's server.
// On its own, after a build: node bench/viewer-stack.mjs
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { startServer } from './processes.mjs';
import { chromiumFile } from './viewer.mjs';
import { enterPath } from './viewer-open.mjs';

const SIDE = 1024;
const PLANES = 120;
const SECONDS = 4;
/** Of the stack in orthogonal views. */
const ORTHOGONAL_SIDE = 512;

export async function benchStack(root, data, say) {
  say(`## Viewer: the time slider of ${PLANES} planes of ${SIDE} × ${SIDE} uint16`);
  say();
  const executablePath = chromiumFile();
  if (!executablePath) return say('No Chromium was found.');
  const path = prepareTimePoints(data);
  const server = await startServer(root, data, 18_771);
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  try {
    const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
    await page.goto(`${server.url}/demo/v2/`);
    await open(page, path);
    const system = await browser.newBrowserCDPSession();
    const { processInfo } = await system.send('SystemInfo.getProcessInfo');
    // Chromium keeps a spare renderer beside that of the page.
    const pids = processInfo.filter(({ type }) => type === 'renderer').map(({ id }) => id);
    const measure = (/** @type {typeof ROUNDS} */ rounds) => measureRounds(page, pids, server.pid, rounds, say);
    await measure(ROUNDS);
    say(`## Viewer: orthogonal views of ${PLANES} planes of ${ORTHOGONAL_SIDE} × ${ORTHOGONAL_SIDE} uint16`);
    say();
    await open(page, prepareStack(data, 'orthogonal.tif', ORTHOGONAL_SIDE));
    const started = performance.now();
    await page.keyboard.press('o');
    const isComplete = () =>
      /^(?!.*\d of \d).*high\.$/.test(document.querySelector('.orthogonal-notes')?.textContent ?? '');
    await page.waitForFunction(isComplete, null, { timeout: 300_000 });
    say(
      `All planes were read, and the sections complete, after ${((performance.now() - started) / 1000).toFixed(1)} s.`,
    );
    say();
    await measure(ROUNDS.slice(1).map(([, ...ends]) => ['through the third axis', ...ends]));
  } finally {
    await browser.close();
    server.stop();
  }
}

/** @type {[name: string, from: number, to: number][]} */
const ROUNDS = [
  ['first, every plane is read', 1, PLANES],
  ['back, in part from the memory of the page', PLANES, 1],
  ['forth again', 1, PLANES],
];

/** Opens a stack and waits until it rests. */
async function open(page, path) {
  await enterPath(page, path);
  await page.locator('[role=tab][aria-selected=true]', { hasText: path.split(/[\\/]/).at(-1) }).waitFor();
  await page.locator('.stack-bar').waitFor();
  await page.waitForTimeout(2000);
}

async function measureRounds(page, pids, serverPid, rounds, say) {
  const pageMs = () => pids.reduce((sum, pid) => sum + processorMs(pid), 0);
  say('| round | planes shown a second | frames a second | of the processor for each: page | server |');
  say('|---|--:|--:|--:|--:|');
  for (const [round, from, to] of rounds) {
    const before = [pageMs(), processorMs(serverPid)];
    const { shown, seconds, frames } = await page.evaluate(DRAG, { from, to, seconds: SECONDS });
    const [inPage, inServer] = [pageMs() - before[0], processorMs(serverPid) - before[1]];
    say(
      `| ${round} | ${(shown / seconds).toFixed(1)} | ${(frames / seconds).toFixed(1)} | ${(inPage / shown).toFixed(1)} ms | ` +
        `${(inServer / shown).toFixed(1)} ms |`,
    );
  }
  say();
}

/** @returns the path of the stack */
export const prepareTimePoints = (data) => prepareStack(data, 'time-points.tif', SIDE);

function prepareStack(data, name, side) {
  const path = join(data, name);
  if (!existsSync(path)) writeStack(path, side);
  return path;
}

/** Moves the slider with every frame, and counts the frames in which the image was painted with another plane. */
async function DRAG({ from, to, seconds }) {
  const canvas = /** @type {HTMLCanvasElement} */ (document.querySelector('canvas.image-canvas'));
  const slider = /** @type {HTMLInputElement} */ (document.querySelector('.stack-bar input[type=range]'));
  const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'));
  const place = () => document.querySelector('[role=tab][aria-selected=true]')?.textContent;
  let last = place();
  let painted = last;
  const watched = /** @type {const} */ (['putImageData', 'drawImage']);
  for (const name of watched) {
    context[name] = (...all) => {
      painted = place();
      // @ts-expect-error: see above
      CanvasRenderingContext2D.prototype[name].apply(context, all);
    };
  }
  let shown = 0;
  let frames = 0;
  const start = performance.now();
  for (let now = start; now - start < 1000 * seconds; ) {
    now = await new Promise(requestAnimationFrame);
    frames++;
    const index = Math.round(from + (to - from) * Math.min(1, (now - start) / (1000 * seconds)));
    if (Number(slider.value) !== index) {
      slider.value = String(index);
      slider.dispatchEvent(new Event('input', { bubbles: true }));
    }
    if (painted !== last) {
      shown++;
      last = painted;
    }
  }
  for (const name of watched) delete context[name];
  return { shown, frames, seconds: (performance.now() - start) / 1000 };
}

/** Processor time of all threads of a process, in milliseconds. */
function processorMs(pid) {
  const [user, system] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ').slice(11, 13);
  return (Number(user) + Number(system)) * 10;
}

/** Uncompressed pages of uint16 with noise and a spot that moves. */
function writeStack(path, side) {
  mkdirSync(dirname(path), { recursive: true });
  const bytes = side * side * 2;
  const file = openSync(path, 'w');
  const entries = 9;
  const directory = 2 + entries * 12 + 4;
  const start = Buffer.alloc(8);
  start.write('II*\0', 'latin1');
  start.writeUInt32LE(8 + bytes, 4);
  writeSync(file, start);
  let state = 1;
  for (let page = 0; page < PLANES; page++) {
    const at = 8 + page * (bytes + directory);
    const samples = new Uint16Array(side * side);
    const column = (page * 7) % side;
    for (let i = 0; i < samples.length; i++) {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0;
      samples[i] = 100 + (state >>> 26) + (Math.abs((i % side) - column) < 40 ? 900 : 0);
    }
    writeSync(file, new Uint8Array(samples.buffer));
    const tags = [256, side, 257, side, 258, 16, 259, 1, 262, 1, 273, at, 277, 1, 278, side, 279, bytes];
    const head = Buffer.alloc(directory);
    head.writeUInt16LE(entries);
    for (let i = 0; i < entries; i++) {
      head.writeUInt16LE(tags[2 * i], 2 + i * 12);
      head.writeUInt16LE(4, 4 + i * 12);
      head.writeUInt32LE(1, 6 + i * 12);
      head.writeUInt32LE(tags[2 * i + 1], 10 + i * 12);
    }
    const next = page + 1 < PLANES ? at + bytes + directory + bytes : 0;
    head.writeUInt32LE(next, directory - 4);
    writeSync(file, head);
  }
  closeSync(file);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const root = join(dirname(fileURLToPath(import.meta.url)), '..');
  await benchStack(root, join(root, 'bench', 'data'), (text = '') => console.log(text));
}
