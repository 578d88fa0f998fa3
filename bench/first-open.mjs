// The first open of a file after the start beside the tenth, and a CZI after many other files beside one before them.
import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { call, startServer } from './processes.mjs';

const PORT = 18_771;
const ROUNDS = 3;
const OPENS = 12;
/** Opens after them, each after a rest in which caches of the processor cool down as they do before a first open. */
const RESTED = 3;
const REST_MS = 1000;
/** Files of other parts of the bench. */
const OTHERS = ['line.czi', 'zstd.czi', '1-blosc.ome.zarr'];

export async function benchFirstOpens(root, data, files, say) {
  const paths = [...files.map(({ path }) => path), ...OTHERS.map((name) => join(data, name))];
  say('## First open after the start');
  say();
  say(
    'A server of its own for each file, idle since its warm-up; median of three, all channels. The first twelve opens are ' +
      'in a row; “rested” is one after a second without requests, as before the first.',
  );
  say();
  say('| file | 1st | 2nd | 3rd | 10th | rested | 1st ÷ 10th | 1st ÷ rested |');
  say('|---|--:|--:|--:|--:|--:|--:|--:|');
  for (const path of paths.filter((path) => existsSync(path) && !/stack/.test(path))) {
    const rounds = [];
    for (let i = 0; i < ROUNDS; i++) rounds.push(await freshOpens(root, data, path));
    const column = (...opens) => median(rounds.flatMap((times) => opens.map((open) => times[open])));
    const [first, tenth] = [column(0), column(8, 9, 10, 11)];
    const rested = column(...Array.from({ length: RESTED }, (_, i) => OPENS + i));
    const cells = [first, column(1), column(2), tenth, rested].map((value) => `${value.toFixed(1)} ms`);
    const ratios = [tenth, rested].map((value) => (first / value).toFixed(2));
    say(`| ${basename(path)} | ${cells.join(' | ')} | ${ratios.join(' | ')} |`);
  }
  say();
  await afterOthers(root, data, paths, say);
}

/** Large planes cause garbage collections, after which XML was parsed by cold code. */
async function afterOthers(root, data, paths, say) {
  const czi = paths.find((path) => path.endsWith('zstd.czi'));
  const others = paths.filter((path) => /plain\.ome\.tif|\.oir$/.test(path));
  if (!existsSync(czi) || others.length < 2) return;
  const server = await idleServer(root, data);
  const fresh = await opens(server, czi, 10);
  for (let i = 0; i < 10; i++) for (const path of others) await opens(server, path, 1);
  const aged = await opens(server, czi, 10);
  server.stop();
  const [before, after] = [median(fresh.slice(3)), median(aged.slice(3))];
  say(
    `A CZI takes ${after.toFixed(1)} ms after 20 opens of OME-TIFF and OIR, and ${before.toFixed(1)} ms before them: ` +
      `${(after / before).toFixed(2)} times.`,
  );
  say();
}

async function freshOpens(root, data, path) {
  const server = await idleServer(root, data);
  const times = await opens(server, path, OPENS);
  for (let i = 0; i < RESTED; i++) {
    await setTimeout(REST_MS);
    times.push(...(await opens(server, path, 1)));
  }
  server.stop();
  await setTimeout(500);
  return times;
}

/** Starts a server and waits until its warm-up is over: until it has done nothing for a second. */
async function idleServer(root, data) {
  const server = await startServer(root, data, PORT);
  await setTimeout(4_500);
  for (let quiet = 0, last = 0; quiet < 4; ) {
    await setTimeout(250);
    const now = server.processorMs();
    quiet = now - last < 3 ? quiet + 1 : 0;
    last = now;
  }
  return server;
}

async function opens(server, path, count) {
  const times = [];
  for (let i = 0; i < count; i++) {
    const { status, body, ms } = await call('POST', `${server.url}/api/v2/open`, { path });
    if (status !== 200) throw new Error(JSON.stringify(body));
    await call('DELETE', `${server.url}/api/v2/sessions/${body.sessionId}`);
    times.push(ms);
  }
  return times;
}

const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
