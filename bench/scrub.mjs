// Whole acquisitions over HTTP: planes of a stack one after the other on one connection, beside an open for each of them;
// and the open that decodes nothing, beside the open of the same file in this process. All of it takes turns.
//   node bench/scrub.mjs
import { createConnection } from 'node:net';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { prepareCzi } from './czi.mjs';
import { prepareDeflatedFrames, prepareFrames } from './files.mjs';
import { startServer } from './processes.mjs';

const PORT = Number(process.env.PORT ?? 18_792);
const ROUNDS = Number(process.env.ROUNDS ?? 7);
/** Frames of a round; all of those of the TIFF hold samples. */
const FRAMES = 128;
/** One round of opens takes as long as one of planes. */
const OPENED = 16;
const WARM_UP = 5;
const OPENS = Number(process.env.OPENS ?? 40);

const wait = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
const sorted = (values) => [...values].sort((a, b) => a - b);
const median = (values) => sorted(values)[Math.floor(values.length / 2)];

/** Prints the section. `dist` must be built. */
export async function benchScrub(root, data, say) {
  const frames = prepareFrames(data);
  const deflated = prepareDeflatedFrames(data);
  const { big } = await prepareCzi(data);
  const server = await startServer(root, data, PORT);
  const client = connect(server.url);
  try {
    await wait(1_500);
    say('## Whole acquisitions, over HTTP');
    say();
    say(
      'Time points of uint16 stacks, one after the other on one connection: planes per second, median of ' +
        `${ROUNDS} rounds (minimum–maximum), in one session, and with an open, a plane and a DELETE for each. Processor: ` +
        'milliseconds of all threads of the server for each plane.',
    );
    say();
    say('| file | in one session | processor | open each | processor | ratio |');
    say('|---|--:|--:|--:|--:|--:|');
    await scrub(client, server, { name: 'TIFF, 2,048 frames of 1,024²', path: frames, planeBytes: 4 * 1024 ** 2 }, say);
    const packed = {
      name: 'TIFF, 128 frames of 1,024², deflate + predictor',
      path: deflated,
      planeBytes: 4 * 1024 ** 2,
    };
    await scrub(client, server, packed, say);
    await scrub(client, server, { name: 'CZI, 10,000 frames of 512²', path: big, planeBytes: 4 * 512 ** 2 }, say);
    say();
    await openLater(client, { 'TIFF, 4 GB in 2,048 frames': frames, 'CZI, 5 GB in 10,000 subblocks': big }, say);
  } finally {
    client.close();
    server.stop();
  }
}

/**
 * One connection that stays open. It reads into the same memory again and again, because what the client of Node does
 * with a plane takes longer than what the server does.
 */
function connect(base) {
  const { hostname, port, host } = new URL(base);
  let pending;
  const onread = {
    buffer: Buffer.alloc(2 ** 20),
    callback: (length, buffer) => pending?.take(buffer.subarray(0, length)),
  };
  const socket = createConnection({ host: hostname, port: Number(port), noDelay: true, onread });
  socket.on('error', (error) => pending?.reject(error));
  /** @returns {Promise<{ body: object | undefined, bytes: number }>} the JSON, or only the number of bytes of a plane */
  const ask = (method, path, json = undefined) =>
    new Promise((resolve, reject) => {
      const text = json === undefined ? '' : JSON.stringify(json);
      const answer = new Answer(({ status, body, bytes }) => {
        pending = undefined;
        if (status === 200) resolve({ body, bytes });
        else reject(new Error(JSON.stringify(body)));
      });
      pending = { take: (part) => answer.take(part), reject };
      const type = text && `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(text)}\r\n`;
      socket.write(`${method} ${path} HTTP/1.1\r\nhost: ${host}\r\n${type}\r\n${text}`);
    });
  return { ask, close: () => socket.destroy() };
}

/** An answer with a `Content-Length`, from its parts. */
class Answer {
  constructor(done) {
    this.done = done;
    this.head = '';
    this.parts = [];
    this.bytes = 0;
  }

  take(part) {
    let rest = part;
    if (this.status === undefined) {
      this.head += part.toString('latin1');
      const end = this.head.indexOf('\r\n\r\n');
      if (end < 0) return;
      rest = part.subarray(part.length - (this.head.length - end - 4));
      this.status = Number(this.head.slice(9, 12));
      this.length = Number(/content-length: (\d+)/i.exec(this.head)[1]);
      this.isPlane = /octet-stream/i.test(this.head.slice(0, end));
    }
    if (!this.isPlane) this.parts.push(Buffer.from(rest));
    this.bytes += rest.length;
    if (this.bytes < this.length) return;
    this.done({ ...this, body: this.isPlane ? undefined : JSON.parse(Buffer.concat(this.parts).toString()) });
  }
}

async function scrub({ ask }, server, { name, path, planeBytes }, say) {
  const planesAt = async (dataUrl, t) => {
    const { bytes } = await ask('GET', `${dataUrl}${t === undefined ? '' : `?T=${t}`}`);
    if (bytes !== planeBytes) throw new Error(`${bytes} bytes of a plane of ${planeBytes}`);
  };
  const inOneSession = async () => {
    const { body } = await ask('POST', '/api/v2/open', { path, decode: 'later' });
    const start = performance.now();
    for (let t = 0; t < FRAMES; t++) await planesAt(body.channels[0].dataUrl, t);
    const seconds = (performance.now() - start) / 1000;
    await ask('DELETE', `/api/v2/sessions/${body.sessionId}`);
    return FRAMES / seconds;
  };
  const openEach = async () => {
    const start = performance.now();
    for (let t = 0; t < OPENED; t++) {
      const { body } = await ask('POST', '/api/v2/open', { path, selection: { T: t } });
      await planesAt(body.channels[0].dataUrl);
      await ask('DELETE', `/api/v2/sessions/${body.sessionId}`);
    }
    return OPENED / ((performance.now() - start) / 1000);
  };
  const rates = { inOneSession: [], openEach: [] };
  /** Milliseconds of all threads of the server for each plane. */
  const processor = { inOneSession: [], openEach: [] };
  const measure = async (kind, planes, run) => {
    const before = server.processorMs();
    rates[kind].push(await run());
    processor[kind].push((server.processorMs() - before) / planes);
  };
  for (let i = 0; i < ROUNDS + 1; i++) {
    await measure('inOneSession', FRAMES, inOneSession);
    await measure('openEach', OPENED, openEach);
  }
  // The first round warms up.
  for (const values of [...Object.values(rates), ...Object.values(processor)]) values.shift();
  const cells = (kind) => {
    const [least, most] = [Math.min(...rates[kind]), Math.max(...rates[kind])].map(Math.round);
    return [`${Math.round(median(rates[kind]))} (${least}–${most})`, median(processor[kind]).toFixed(1)];
  };
  const ratio = (median(rates.inOneSession) / median(rates.openEach)).toFixed(1);
  say(`| ${[name, ...cells('inOneSession'), ...cells('openEach'), ratio].join(' | ')} |`);
}

async function openLater({ ask }, files, say) {
  const { openAcquisition } = await import('../packages/server/dist/open.js');
  say('| open with `decode: "later"` | over HTTP | in process | ratio |');
  say('|---|--:|--:|--:|');
  for (const [name, path] of Object.entries(files)) {
    const [http, bare] = [[], []];
    for (let i = 0; i < OPENS + WARM_UP; i++) {
      const start = performance.now();
      const { body } = await ask('POST', '/api/v2/open', { path, decode: 'later' });
      const opened = performance.now();
      await ask('DELETE', `/api/v2/sessions/${body.sessionId}`);
      const between = performance.now();
      (await openAcquisition(path)).close();
      const end = performance.now();
      if (i < WARM_UP) continue;
      http.push(opened - start);
      bare.push(end - between);
    }
    const cell = (times) => `${median(times).toFixed(1)} ms (${Math.min(...times).toFixed(1)})`;
    const ratio = `${(median(http) / median(bare)).toFixed(2)} (${(Math.min(...http) / Math.min(...bare)).toFixed(2)})`;
    say(`| ${name} | ${cell(http)} | ${cell(bare)} | ${ratio} |`);
  }
  say();
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const root = join(dirname(fileURLToPath(import.meta.url)), '..');
  await benchScrub(root, join(root, 'bench', 'data'), console.log);
}
