// npm run bench -- --beside [--peer DIR]: our server beside a reference server in Python, and beside the real peer where its
// checkout is given (peer.mjs says what DIR has), on the same machine in the same call: three runs, about forty minutes.
// `--write` puts the section into docs/benchmarks.md. `--quick` is for trying it: one run of a minute or two, and few rounds.
// Each run that has ended is kept in bench/data/beside-runs.json; `--go-on` takes those of a call that failed, and measures the rest.
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, totalmem } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { healthTable, measureHealth } from '../health.mjs';
import { writeSection } from '../sections.mjs';
import { BYTES, measureBytes } from './bytes.mjs';
import { closeConnections } from './client.mjs';
import { CROWD, measureCrowd } from './crowd.mjs';
import { REPEATS, wait } from './figures.mjs';
import { formatFiles, growthFiles, smallFiles } from './files.mjs';
import { LISTING, measureListing } from './listing.mjs';
import { MEMORY, measureMemory } from './memory.mjs';
import { measureOpens, OPENS } from './opens.mjs';
import { readPeer } from './peer.mjs';
import { prepareReference } from './python.mjs';
import { printTable } from './report.mjs';
import { BARE, contestants, freePort } from './servers.mjs';
import { EARLY_OPENS, FIRST_OPENS, measureEarlyOpens, measureFirstOpens, STARTS } from './starts.mjs';

const root = join(import.meta.dirname, '../..');
const data = join(root, 'bench', 'data');
const ENDED_RUNS = join(data, 'beside-runs.json');
const TIFF = 'TIFF 2×30,000×512';
const DEFLATE = 'OME-TIFF 2×30,000×512, deflate';
const CZI = 'CZI 2×30,000×512, raw';
const LZ4 = 'OME-Zarr 2×30,000×512, Blosc LZ4';
const LONG = 'TIFF 2×200,000×512';
const BARE_LARGE = [TIFF, CZI, 'ND2 2×30,000×512, interleaved', 'OIR 2×30,000×512', 'LIF 2×30,000×512', LONG];
const MIXED = [TIFF, DEFLATE, CZI, 'OIR 2×30,000×512', 'ND2 2×30,000×512, interleaved', LZ4];

/** Ours warms up while nobody asks for anything, which takes some 16 seconds. */
const REST_MS = 20_000;

const { values: flags } = parseArgs({
  options: {
    peer: { type: 'string' },
    quick: { type: 'boolean' },
    write: { type: 'boolean' },
    'go-on': { type: 'boolean' },
  },
  strict: false,
});
const quick = flags.quick === true;
const RUNS = quick ? 1 : 3;
const lines = [];
const say = (text = '') => {
  lines.push(text);
  console.log(text);
};

const peer = typeof flags.peer === 'string' ? readPeer(flags.peer) : undefined;
const reference = prepareReference();
if ('reason' in reference) console.log(`SKIPPED: ${reference.reason}`);
else {
  const began = performance.now();
  await compare(reference);
  console.log(`took ${Math.round((performance.now() - began) / 1000)} s`);
  if (flags.write && !quick) writeSection(join(root, 'docs/benchmarks.md'), lines);
}

/** @param {{ python: string, versions: string }} reference */
async function compare({ python, versions }) {
  const load = loadavg()[0].toFixed(1);
  const goesOn = flags['go-on'] && !quick && existsSync(ENDED_RUNS);
  const runs = goesOn ? JSON.parse(readFileSync(ENDED_RUNS, 'utf8')) : [];
  if (!goesOn && !quick) rmSync(ENDED_RUNS, { force: true });
  const files = await comparedFiles();
  const all = contestants({ data, python, ...(peer ? { peer } : {}) });
  for (let run = runs.length; run < RUNS; run++) {
    runs.push(await measure(all, files, run));
    if (!quick) writeFileSync(ENDED_RUNS, JSON.stringify(runs));
  }
  introduce(versions, load);
  print(
    runs,
    all.map(({ name }) => name),
  );
  closeConnections();
  if (!quick) rmSync(ENDED_RUNS, { force: true });
}

async function comparedFiles() {
  const formats = await formatFiles(data, quick);
  const growth = await growthFiles(data, quick);
  const named = (names) => names.map((name) => formats.find((file) => file.name === name)).filter(Boolean);
  return { formats, growth, small: smallFiles(data, quick), named };
}

/** One run: fresh processes of each server. */
async function measure(all, { formats, growth, small, named }, run) {
  const note = (text) => console.error(`run ${run + 1} of ${RUNS}: ${text}`);
  const result = {};
  const rows = async (files, measureOne) => {
    const list = [];
    for (const file of files) list.push(await measureOne(file));
    return list;
  };
  note('first opens');
  Object.assign(result, await measureFirstOpens([...all, BARE], small, { round: run, quick }));
  note('early and later opens');
  const [early, processes] = quick ? [small.slice(0, 1), 1] : [small.slice(0, 3), 3];
  result.early = await rows(early, (file) => measureEarlyOpens([...all, BARE], file, processes));
  await withServers(all, async (servers) => {
    note('opens');
    result.formats = await rows(formats, (file) => measureOpens(servers, file));
    result.growth = await rows(growth, (file) => measureOpens(servers, file));
    note('bytes');
    const settings = { folder: data, port: await freePort(), rounds: quick ? 3 : 5 };
    result.bytes = await measureBytes(servers, named(quick ? [TIFF] : [TIFF, LONG]), settings);
  });
  await withServers(all, async (servers) => {
    note('crowds');
    result.crowd = await rows(crowds(named, small), (set) => measureCrowd(servers, set, quick ? 1 : 3));
    note('health');
    const loads = [TIFF, DEFLATE, LZ4].flatMap((name) => named([name]).map(({ path }) => ({ name, path, planes: 0 })));
    const streaming = loads.map((load) => ({ ...load, name: `${load.name}, and read planes`, planes: 2 }));
    result.health = await measureHealth(servers, quick ? loads.slice(0, 1) : [...loads, streaming[0]], quick ? 1 : 1.5);
  });
  note('beside a bare server');
  // The real files in formats that the reference reads come first.
  result.bare = await measureBare(all, [...small.slice(0, 7), ...named(quick ? [TIFF] : BARE_LARGE)]);
  note('memory');
  const seconds = quick ? { short: 1, long: 2 } : { short: 5, long: 20 };
  result.memory = await measureMemory(all, named(quick ? [TIFF] : [TIFF, DEFLATE, CZI, LZ4, LONG]), seconds);
  return result;
}

/** Beside a bare server in Node: opens of files, and many of the first one. */
async function measureBare(all, files) {
  const opens = [];
  const crowd = [];
  const [smallest] = files;
  const servers = [...all, BARE];
  const listing = [];
  await withServers(servers, async (started) => {
    // Short opens vary more from round to round; those of large files take seconds each.
    const short = quick ? 3 : 25;
    for (const file of files)
      opens.push(await measureOpens(started, file.rounds > 1 ? file : { ...file, rounds: short }));
    listing.push(await measureListing([started[0], started.at(-1)], data, quick ? 3 : 15));
    for (const clients of quick ? [16] : [16, 64]) {
      const set = { name: smallest.name, paths: [smallest.path], clients };
      crowd.push(await measureCrowd(started, set, quick ? 1 : 7));
    }
  });
  return { opens, crowd, listing };
}

function crowds(named, small) {
  const paths = (names) => named(names).map(({ path }) => path);
  const kymograph = { name: small[0].name, paths: [small[0].path], clients: 64 };
  if (quick) return [{ name: TIFF, paths: paths([TIFF]), clients: 16 }];
  return [
    { name: TIFF, paths: paths([TIFF]), clients: 16 },
    { name: 'TIFF, deflate, CZI, OIR, ND2, Zarr mixed', paths: paths(MIXED), clients: 16 },
    { ...kymograph, clients: 16 },
    kymograph,
  ];
}

/** Runs `work` with one process of each server, rested. */
async function withServers(all, work) {
  const servers = [];
  try {
    for (const { start } of all) servers.push(await start());
    await wait(REST_MS);
    await work(servers);
  } finally {
    closeConnections();
    for (const server of servers) await server.stop();
  }
}

/** @param {string} versions of the libraries of the reference @param {string} load the load average when it began */
function introduce(versions, load) {
  say('## Beside a reference server in Python');
  say();
  say(
    'Made by `npm run bench -- --beside`. The reference (`bench/beside/server.py`) answers the same requests through the ' +
      `fastest libraries that open each format: ${versions}. It maps files, asks the system for large pages of memory, ` +
      'reports the steps that the library reports, and checks nothing. Ours runs on Node ' +
      `${process.version}, ${cpus().length} cores, ${Math.round(totalmem() / 2 ** 30)} GiB; files are in the page cache. ` +
      (peer
        ? `The peer is the Python server that ours replaces (\`--peer\`, ${peer.version}, API ${peer.api}).`
        : 'The Python server that ours replaces was not measured: no `--peer` was given.'),
  );
  say();
  say(
    `${RUNS === 1 ? 'One run' : `${RUNS} runs, each with fresh processes`}. Servers take turns within a run; its ratio is ` +
      'the median of its rounds. A ratio here is the median of the runs, with the lowest and the highest run in ' +
      `parentheses; above 1 ours is faster. \`?\` stands for a figure that did not repeat: its highest run is more than ` +
      `${REPEATS} times its lowest. “Same” bytes have the same SHA-256, plane by plane. “Age” is how long ago each server ` +
      `first answered \`/health\`, at the end of the row. The load average was ${load} when it began; it is well below 1 ` +
      'where no other program is at work.',
  );
  say();
}

function print(runs, names) {
  const withBare = [...names, BARE.name];
  const part = (key) => runs.map((run) => run[key]);
  const table = (title, columns, key, about = '', servers = names) => {
    say(`### ${title}`);
    say();
    if (about) say(`${about}\n`);
    printTable(columns, part(key), servers, say);
  };
  table(
    'First opens',
    FIRST_OPENS,
    'opens',
    'A fresh process for each figure, opened so long after its first answer of `/health`: ms to the last plane; “start + 0 s” counts from ' +
      'the start of the process. The bare server (below) has loaded the code of all readers by then, and has run none of it.',
    withBare,
  );
  printTable(STARTS, part('starts'), withBare, say);
  table(
    'Early opens',
    EARLY_OPENS,
    'early',
    'Processor time of the server, ms per open with planes and DELETE: the first ten opens of a process, at once and 5 s after its first answer of `/health`, and the 101st to the 200th.',
    withBare,
  );
  table(
    'Open, first plane, all planes',
    OPENS,
    'formats',
    `ms from the request to the answer, the first and the last plane. Servers had rested for ${REST_MS / 1000} s after their start, in which ours warms up.`,
  );
  table('Growth', OPENS, 'growth');
  printBytes(part('bytes'), names);
  table(
    'Many clients at once',
    CROWD,
    'crowd',
    'Each opens, reads all planes and deletes: ms until the median client, the 99th of a hundred, and all have done so. Failed: opens, by server.',
  );
  printBare(part('bare'), withBare);
  say('### GET /health while four clients open');
  say();
  say('ms, seen by a client in a process of its own.\n');
  healthTable(part('health'), say);
  table(
    'Memory',
    MEMORY,
    'memory',
    'Resident MiB of a fresh process: idle, highest while it opens and sends all planes, 5 s after DELETE, highest of 6 opens, 20 s after them.',
  );
}

/** @param {{ opens: any[], crowd: any[], listing: any[] }[]} runs */
function printBare(runs, names) {
  say('### Beside a bare server in Node');
  say();
  say(
    'The least that Node can answer these requests with (`bench/beside/bare.mjs`): `node:http` alone, one thread that opens, ' +
      'reads and converts, and checks nothing. It reads plain TIFFs itself, and other files through the readers of ours. What ' +
      'ours takes beyond it goes to its checks, threads and sessions, and for TIFF to the format. First ms of opens, then ' +
      'many clients at once, both as above, and ms for the list of a folder.\n',
  );
  const rows = (/** @type {'opens' | 'crowd' | 'listing'} */ key) => runs.map((run) => run[key]);
  printTable(OPENS, rows('opens'), names, say);
  printTable(CROWD, rows('crowd'), names, say);
  printTable(LISTING, rows('listing'), [names[0], BARE.name], say);
}

/** nginx is a server of this table alone, where it is installed. */
function printBytes(runs, names) {
  say('### Bytes of a plane by curl');
  say();
  const withNginx = runs[0].some(({ figures }) => figures.nginx) ? [...names, 'nginx'] : names;
  printTable(BYTES, runs, withNginx, say);
}
