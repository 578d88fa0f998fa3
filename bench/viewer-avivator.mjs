// The viewer beside Avivator, the viewer of OME-TIFF and OME-Zarr in pages: time to the first picture of a file of this computer, what
// is read of it, the code that is loaded, and what each can open. Avivator is not on npm. Build it from its repository, hms-dbmi/viv:
//   pnpm install && pnpm --filter @vivjs/extensions prepare && pnpm --filter avivator build --base ./
// Then, after `npm run build` and `npm run build -- --page`: node bench/viewer-avivator.mjs …/sites/avivator/dist [--write]
import { mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { dirname, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { chromium } from 'playwright-core';
import { band, writePages } from './files.mjs';
import { startServer } from './processes.mjs';
import { writeSection } from './sections.mjs';
import { chromiumFile } from './viewer.mjs';
import { enterPath } from './viewer-open.mjs';

const HEADING = '## Viewer: beside Avivator';
const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const OPENS = 5;
/** Milliseconds after which a file counts as not opened. */
const PATIENCE = 4_000;
const TYPES = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.wasm': 'application/wasm' };

/** Counts the bytes that readers in a worker take from files. */
const COUNT_IN_WORKER = `{
  const channel = new BroadcastChannel('bytes');
  const { readAsArrayBuffer } = FileReaderSync.prototype;
  FileReaderSync.prototype.readAsArrayBuffer = function (blob) {
    channel.postMessage(blob.size);
    return readAsArrayBuffer.call(this, blob);
  };
}
`;

/** @typedef {{ bytes: number, start: number, drawn: number }} Noted what was noted in a page, in bytes and milliseconds */

/** Runs in each page: counts bytes of files, and notes when a file was chosen and when a canvas shows a picture. */
const WATCH = `
const state = { bytes: 0, start: 0, drawn: 0 };
Object.assign(window, { bench: state });
new BroadcastChannel('bytes').onmessage = ({ data }) => {
  state.bytes += data;
};
for (const [kind, name] of [
  [FileReader, 'readAsArrayBuffer'],
  [Blob, 'arrayBuffer'],
]) {
  const original = kind.prototype[name];
  kind.prototype[name] = function (...args) {
    state.bytes += (args[0] ?? this).size;
    return original.apply(this, args);
  };
}
// Otherwise WebGL canvases are empty again before anybody can look.
const { getContext } = HTMLCanvasElement.prototype;
HTMLCanvasElement.prototype.getContext = function (type, options) {
  return getContext.call(this, type, /webgl/.test(type) ? { ...options, preserveDrawingBuffer: true } : options);
};
const begin = () => Object.assign(state, { bytes: 0, start: performance.now(), drawn: 0 });
Object.assign(window, { beginBench: begin });
addEventListener('keydown', ({ key }) => key === 'Enter' && begin(), true);
const copy = document.createElement('canvas');
copy.width = copy.height = 128;
const context = copy.getContext('2d', { willReadFrequently: true });
const look = () => {
  if (state.start > 0 && state.drawn === 0) {
    for (const canvas of document.querySelectorAll('canvas')) {
      if (canvas.width < 200 || canvas.offsetParent === null) continue;
      context.clearRect(0, 0, 128, 128);
      context.drawImage(canvas, 0, 0, 128, 128);
      const colors = new Set(new Uint32Array(context.getImageData(0, 0, 128, 128).data.buffer));
      if (colors.size > 12) state.drawn = performance.now();
    }
  }
  requestAnimationFrame(look);
};
requestAnimationFrame(look);
`;

/** Serves the folders of pages; counts the compressed bytes of what was asked for. */
async function serve(folders) {
  const sent = { bytes: 0 };
  const server = createServer(({ url }, response) => {
    const [, name, ...rest] = decodeURIComponent(new URL(url, 'http://host').pathname).split('/');
    const folder = folders[name];
    const file = folder && join(folder, rest.join('/') || 'index.html');
    if (!file || !statSync(file, { throwIfNoEntry: false })?.isFile()) return response.writeHead(404).end();
    const body = readFileSync(file);
    sent.bytes += gzipSync(body).length;
    response.setHeader('content-type', TYPES[extname(file)] ?? 'application/octet-stream');
    response.end(/^worker-.*\.js$/.test(rest.at(-1)) ? COUNT_IN_WORKER + body : body);
  });
  await new Promise((done) => server.listen(0, '127.0.0.1', () => done(null)));
  return {
    url: `http://127.0.0.1:${/** @type {import('node:net').AddressInfo} */ (server.address()).port}`,
    sent,
    stop: () => server.close(),
  };
}

async function choose(page, paths) {
  const input = page.locator('input[type=file]').first();
  const begin = () => page.evaluate('beginBench()');
  if ((await input.count()) > 0) {
    await begin();
    return input.setInputFiles(paths);
  }
  const chooser = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: 'Open…' }).click();
  const found = await chooser;
  await begin();
  return found.setFiles(paths);
}

function withoutPickers() {
  for (const name of ['showOpenFilePicker', 'showDirectoryPicker']) Reflect.deleteProperty(window, name);
}

/** Opens a file in a new page. @returns what `watch` noted; without a picture, `drawn` is 0 */
async function openIn(browser, url, open) {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 800 },
    serviceWorkers: 'block',
    bypassCSP: true,
  });
  try {
    const page = await context.newPage();
    await page.addInitScript(withoutPickers);
    await page.addInitScript({ content: `{${WATCH}}` });
    await page.goto(url);
    // Avivator tries an image of the internet first.
    await page.waitForTimeout(1500);
    await open(page);
    await page.waitForFunction('bench.drawn > 0', null, { timeout: PATIENCE }).catch(() => {});
    return /** @type {Noted} */ (await page.evaluate('({ ...bench })'));
  } finally {
    await context.close();
  }
}

const lines = [];
function say(text = '') {
  lines.push(text);
  console.log(text);
}

const median = (values) => values.sort((a, b) => a - b)[values.length >> 1];
const kilobytes = (bytes) => `${Math.round(bytes / 1000).toLocaleString('en')} KB`;

async function measure(browser, ways, files) {
  say(`| file | ${ways.map(({ name, isServer }) => `${name}${isServer ? '' : ' | read'}`).join(' | ')} |`);
  say(`|---|${ways.map(({ isServer }) => (isServer ? '--:|' : '--:|--:|')).join('')}`);
  for (const { name, path } of files) {
    const cells = [];
    for (const { url, open, isServer } of ways) {
      const found = [];
      for (let i = 0; i < OPENS; i++) found.push(await openIn(browser, url, (page) => open(page, path)));
      const times = found.map(({ start, drawn }) => (drawn > 0 ? drawn - start : Number.POSITIVE_INFINITY));
      const time = median(times);
      cells.push(Number.isFinite(time) ? `${Math.round(time)} ms` : 'no picture');
      if (!isServer) cells.push(kilobytes(found[0].bytes));
    }
    say(`| ${name} (${kilobytes(statSync(path).size)}) | ${cells.join(' | ')} |`);
  }
}

/** Not `deflate.ome.tif`, whose OME-XML names no channels: Avivator shows nothing of such a file. */
const SKIPPED = /\.(txt|dat|index)$|^deflate\.ome\.tif$/;

/** Opens one acquisition of each kind. */
async function compareFormats(browser, ways) {
  const folder = join(root, 'packages/server/warm-up');
  const names = readdirSync(folder).filter((name) => statSync(join(folder, name)).isFile() && !SKIPPED.test(name));
  say(`| file | ${ways.map(({ name }) => name).join(' | ')} |`);
  say(`|---|${ways.map(() => '---|').join('')}`);
  for (const name of names) {
    const cells = [];
    for (const { url, open } of ways) {
      const { drawn } = await openIn(browser, url, (page) => open(page, join(folder, name)));
      cells.push(drawn > 0 ? 'picture' : '–');
    }
    say(`| ${name} | ${cells.join(' | ')} |`);
  }
}

const [avivator, flag] = process.argv.slice(2);
if (!avivator) throw new Error('Usage: node bench/viewer-avivator.mjs FOLDER_OF_AVIVATOR [--write]');
const data = join(root, 'bench', 'data');
mkdirSync(data, { recursive: true });
const square = join(data, 'square.ome.tif');
const long = join(data, 'long.ome.tif');
const pages = { channels: 2, compression: 1, predictor: 1 };
writePages(square, { rows: 2048, columns: 2048, ...pages }, band);
writePages(long, { rows: 30_000, columns: 512, ...pages }, band);
const host = await serve({ avivator, page: join(root, 'dist', 'page') });
const server = await startServer(root, data, 18_779);
const browser = await chromium.launch({
  executablePath: chromiumFile(),
  args: ['--no-sandbox', '--enable-unsafe-swiftshader'],
});
say(HEADING);
say();
say(
  'Milliseconds from choosing a file of this computer to a picture of it, median of ' +
    `${OPENS} pages, in Chromium ${browser.version().split('.')[0]} without a graphics card, and what was read of the file until then. ` +
    'Avivator was built from its repository. It draws a plane as a texture, and 30,000 lines are more than one may have.',
);
say();
try {
  const inPage = [
    { name: 'Avivator', url: `${host.url}/avivator/`, open: choose },
    { name: 'page without a server', url: `${host.url}/page/`, open: choose },
  ];
  const byPath = {
    name: 'page of the server, by path',
    isServer: true,
    url: `${server.url}/demo/v2/`,
    open: enterPath,
  };
  await measure(
    browser,
    [...inPage, byPath],
    [
      { name: 'sample, 4,000 × 96', path: join(root, 'examples/vessel-kymograph.ome.tif') },
      { name: '2 × 2,048 × 2,048 uint16', path: square },
      { name: '2 × 30,000 × 512 uint16', path: long },
    ],
  );
  say();
  for (const { name, url, open } of inPage) {
    host.sent.bytes = 0;
    await openIn(browser, url, (page) => open(page, square));
    say(`${name}: ${kilobytes(host.sent.bytes)} of code and assets after gzip, with the first file`);
  }
  say();
  say(
    'What each opens, one small file of a kind; OME-Zarr, which both read, is a folder. `–`: no picture within some seconds.',
  );
  say();
  await compareFormats(browser, inPage);
  if (flag === '--write') writeSection(join(root, 'docs/benchmarks.md'), lines);
} finally {
  await browser.close();
  server.stop();
  host.stop();
}
