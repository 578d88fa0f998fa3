// npm run bench -- --beside: our server beside a reference server in Python on the same machine in the same run, about ten
// minutes. `--write` puts the section into docs/benchmarks.md. `--quick` is for trying it: a minute or two, and few rounds.
import { cpus, loadavg, totalmem } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { healthTable } from '../health.mjs';
import { writeSection } from '../sections.mjs';
import { bytesTable } from './bytes.mjs';
import { closeConnections } from './client.mjs';
import { crowdTable } from './crowd.mjs';
import { formatFiles, growthFiles } from './files.mjs';
import { memoryTable } from './memory.mjs';
import { openTable } from './opens.mjs';
import { prepareReference } from './python.mjs';
import { freePort, startOurs, startReference } from './servers.mjs';
import { startTable } from './starts.mjs';

const root = join(import.meta.dirname, '../..');
const data = join(root, 'bench', 'data');
const TIFF = 'TIFF 2×30,000×512';
const DEFLATE = 'OME-TIFF 2×30,000×512, deflate';
const CZI = 'CZI 2×30,000×512, raw';
const OIR = 'OIR 2×30,000×512';
const LZ4 = 'OME-Zarr 2×30,000×512, Blosc LZ4';
const LONG = 'TIFF 2×200,000×512';
const MIXED = [TIFF, DEFLATE, CZI, OIR, 'ND2 2×30,000×512, interleaved', LZ4];
const REAL = ['TIFF kymograph 30,000×38', 'CZI CellDivision', 'ND2 example-multichannel', 'OIB test', 'LIF xz-example'];

/** Ours runs its code once when nobody has asked for anything for some seconds. */
const REST_MS = 12_000;

const quick = process.argv.includes('--quick');
const lines = [];
const say = (text = '') => {
  lines.push(text);
  console.log(text);
};
const heading = (title, ...about) => {
  say(`### ${title}`);
  say();
  for (const text of about) say(`${text}\n`);
};

const reference = prepareReference();
if ('reason' in reference) console.log(`SKIPPED: ${reference.reason}`);
else {
  const began = performance.now();
  await compare(reference);
  console.log(`took ${Math.round((performance.now() - began) / 1000)} s`);
  if (process.argv.includes('--write') && !quick) writeSection(join(root, 'docs/benchmarks.md'), lines);
}

/** @param {{ python: string, versions: string }} reference */
async function compare({ python, versions }) {
  say('## Beside a reference server in Python');
  say();
  say(
    'Made by `npm run bench -- --beside`. The reference (`bench/beside/server.py`) answers the same requests through the ' +
      `fastest libraries that open each format: ${versions}. It maps files, asks the system for large pages of memory, ` +
      'reports the steps that the library reports, and checks nothing. Ours runs on Node ' +
      `${process.version}, ${cpus().length} cores, ${Math.round(totalmem() / 2 ** 30)} GiB; files are in the page cache.`,
  );
  say();
  say(
    'Servers take turns within a round; a ratio is the median of the rounds, with its middle half in parentheses. Above 1 ' +
      'ours is faster. “Same” bytes have the same SHA-256, plane by plane. The load average was ' +
      `${loadavg()[0].toFixed(1)} when it began; it is well below 1 where no other program is at work. Except for fresh ` +
      `processes, both servers rest for ${REST_MS / 1000} s after their start, in which ours warms up.`,
  );
  say();
  const files = await formatFiles(data, quick);
  const growth = await growthFiles(data, quick);
  const named = (names) => names.map((name) => files.find((file) => file.name === name)).filter(Boolean);
  await withServers(python, async (ours, other) => {
    heading(
      'Open, first plane, all planes',
      'Milliseconds from the request to the answer, the first and the last plane.',
    );
    await openTable(ours, other, files, say);
    heading('Growth');
    await openTable(ours, other, growth, say);
    heading('Bytes of a plane by curl');
    const settings = { folder: data, port: await freePort(), rounds: quick ? 3 : 9 };
    await bytesTable([ours, other], named(quick ? [TIFF] : [TIFF, LONG]), settings, say);
  });
  await withServers(python, async (ours, other) => {
    heading('16 clients at once', 'Milliseconds until each has opened, read all planes and deleted.');
    const sets = [
      { name: TIFF, paths: named([TIFF]).map(({ path }) => path) },
      { name: 'TIFF, deflate, CZI, OIR, ND2, Zarr mixed', paths: named(MIXED).map(({ path }) => path) },
    ];
    await crowdTable(ours, other, quick ? sets.slice(0, 1) : sets, quick ? 1 : 5, say);
    heading('GET /health while four clients open', 'Milliseconds, seen by a client in a process of its own.');
    const loads = [TIFF, DEFLATE, LZ4].flatMap((name) => named([name]).map(({ path }) => ({ name, path, planes: 0 })));
    const streaming = loads.map((load) => ({ ...load, name: `${load.name}, and read planes`, planes: 2 }));
    const measured = quick ? { rounds: 1, seconds: 1 } : { rounds: 3, seconds: 1.5 };
    await healthTable([ours, other], quick ? loads.slice(0, 1) : [...loads, streaming[0]], measured, say);
  });
  await freshProcesses(python, named);
  closeConnections();
}

/** What needs processes that have not opened anything yet. */
async function freshProcesses(python, named) {
  const starters = {
    ours: () => startOurs(data),
    reference: () => startReference(python),
  };
  heading('First opens of a fresh process', 'Milliseconds to the last plane.');
  const first = quick ? [TIFF] : [...REAL.map((name) => `${name} (real)`), OIR, LZ4];
  await startTable(starters, named(first), quick ? 1 : 3, say);
  heading('Memory', 'Resident MiB of a fresh process.');
  const files = named(quick ? [TIFF] : [TIFF, DEFLATE, CZI, LZ4, LONG]);
  await memoryTable(starters, files, quick ? { short: 1, long: 2 } : { short: 5, long: 20 }, say);
}

/** Runs `work` with one process of each server. */
async function withServers(python, work) {
  const servers = [];
  try {
    servers.push(await startOurs(data), await startReference(python));
    await setTimeout(REST_MS);
    await work(...servers);
  } finally {
    closeConnections();
    for (const server of servers) await server.stop();
  }
}
