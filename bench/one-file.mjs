// Thirty people who open one scan, beside thirty people who open a scan each: what sharing planes saves.
import { linkSync, mkdirSync, rmSync } from 'node:fs';
import { get } from 'node:http';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { call, startServer } from './processes.mjs';

const PORT = 18_773;
const PEOPLE = 30;
const ROUNDS = 2;
const MIB = 2 ** 20;

export async function benchOneFile(root, data, say) {
  const people = join(data, 'people');
  const copies = Array.from({ length: PEOPLE }, (_, i) => join(people, `${i}.ome.tif`));
  say('## Thirty people on one file');
  say();
  say(
    `${PEOPLE} clients open an OME-TIFF of 2×30,000×512 at the same time, read both planes and keep their sessions. "Each a copy": ` +
      'as many names of the same bytes, which share nothing, as all sessions did before planes belonged to files. ' +
      'Milliseconds and processor time until all are done; the resident set is that of the server beyond its own, while all sessions are open.',
  );
  say();
  say('| file | all done | each a copy | ÷ | processor | each a copy | ÷ | resident MiB | each a copy | ÷ |');
  say('|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|');
  for (const name of ['plain.ome.tif', 'deflate.ome.tif']) {
    rmSync(people, { recursive: true, force: true });
    mkdirSync(people, { recursive: true });
    const path = join(data, name);
    for (const copy of copies) linkSync(path, copy);
    const runs = { one: [], each: [] };
    for (let round = 0; round < ROUNDS; round++) {
      runs.one.push(await rush(root, data, Array(PEOPLE).fill(path)));
      runs.each.push(await rush(root, data, copies));
    }
    const cells = ['wall', 'processor', 'resident'].flatMap((key) => {
      const [one, each] = [runs.one, runs.each].map((list) => median(list.map((run) => run[key])));
      return [Math.round(one), Math.round(each), (each / one).toFixed(1)];
    });
    say(`| ${[name, ...cells].join(' | ')} |`);
  }
  rmSync(people, { recursive: true, force: true });
  say();
}

/** One round with a fresh server. */
async function rush(root, data, paths) {
  const server = await startServer(root, data, PORT, { flags: ['--memory-budget', '6GB'] });
  await setTimeout(8_000);
  const idle = server.rss();
  const [start, spent] = [performance.now(), server.processorMs()];
  await Promise.all(paths.map((path) => visit(server.url, path)));
  const result = {
    wall: performance.now() - start,
    processor: server.processorMs() - spent,
    resident: (server.rss() - idle) / MIB,
  };
  server.stop();
  await setTimeout(500);
  return result;
}

async function visit(url, path) {
  const { status, body } = await call('POST', `${url}/api/v2/open`, { path });
  if (status !== 200) throw new Error(JSON.stringify(body));
  for (const { dataUrl } of body.channels) await read(new URL(dataUrl, url));
}

/** Reads an answer and keeps nothing of it. */
function read(url) {
  return new Promise((resolve, reject) => {
    get(url, (response) => response.on('end', resolve).on('error', reject).resume()).on('error', reject);
  });
}

const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
