// Resident memory of the server, a fresh one for each file: idle, at the peak of an open with all planes read, after 20
// more opens, and after the last session has ended.
//   node bench/memory.mjs [NAME …]     only rows whose name contains one of these
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { prepareBruker } from './bruker.mjs';
import { prepareCzi } from './czi.mjs';
import { prepare, prepareLarge } from './files.mjs';
import { prepareHdf5 } from './hdf5.mjs';
import { prepareOmeZarr } from './ome-zarr.mjs';
import { call, startServer } from './processes.mjs';

const PORT = 18_769;
const CYCLES = 20;
/** What the server may take: this share of the planes, and itself. */
const SHARE = 1.3;
const ITSELF = 150e6;

const mb = (bytes) => `${Math.round(bytes / 1e6).toLocaleString('en')} MB`;
const wait = (seconds) => new Promise((resolve) => setTimeout(resolve, seconds * 1000));

/** Prints the section. `dist` must be built. */
export async function benchMemory(root, data, say, only = []) {
  say('## Memory of the server');
  say();
  say(
    `Resident set of a fresh server for each file: idle, highest while all planes are opened and read, its growth as a share of the ` +
      `planes as float32, and the highest as a share of ${SHARE} × planes + ${mb(ITSELF)}; highest of ${CYCLES} more opens and deletes; ` +
      '5 s and 20 s after the last session. Planes of 8 and 16 bits are kept as they are.',
  );
  say();
  say('| file | planes | idle | highest | growth ÷ planes | ÷ allowed | highest of 20 more | after 5 s | after 20 s |');
  say('|---|--:|--:|--:|--:|--:|--:|--:|--:|');
  for (const [name, path] of await rows(data)) {
    if (only.length > 0 && !only.some((part) => name.includes(part))) continue;
    const row = await measure(root, data, path);
    const allowed = SHARE * row.planes + ITSELF;
    const cells = [row.planes, row.idle, row.peak].map(mb);
    const after = [row.cycles, row.after5, row.after20].map(mb);
    const shares = [(row.peak - row.idle) / row.planes, row.peak / allowed].map((share) => share.toFixed(2));
    say(`| ${[name, ...cells, ...shares, ...after].join(' | ')} |`);
  }
  say();
}

async function rows(data) {
  const czi = await prepareCzi(data);
  const hdf5 = prepareHdf5(data);
  const stores = await prepareOmeZarr(data);
  return [
    ...prepare(data).map(({ name, path }) => [name, path]),
    ...prepareLarge(data).map(({ name, path }) => [name, path]),
    ['CZI line scan, raw', czi.line],
    ['CZI Zstd', czi.zstd],
    ['NWB line scan', hdf5.lines],
    ['NWB line scan, gzip', hdf5.zipped],
    ['NWB of 10 KB that claims 2 GB of fill', hdf5.sparse],
    ...stores.map(({ name, path }) => [`OME-Zarr, ${name}`, path]),
    ['Prairie View line scan', prepareBruker(data).lines],
  ];
}

async function measure(root, data, path) {
  const server = await startServer(root, data, PORT);
  try {
    await wait(2);
    const idle = server.rss();
    const planes = await openAndRead(server, path);
    const peak = server.peak();
    for (let i = 0; i < CYCLES; i++) await openAndRead(server, path);
    const cycles = server.peak();
    await wait(5);
    const after5 = server.rss();
    await wait(15);
    return { idle, planes, peak, cycles, after5, after20: server.rss() };
  } finally {
    server.stop();
    await wait(1);
  }
}

/** @returns bytes of all planes */
async function openAndRead(server, path) {
  const { status, body } = await call('POST', `${server.url}/api/v2/open`, { path });
  if (status !== 200) throw new Error(JSON.stringify(body));
  const channels = [...body.channels, ...(body.reference?.channels ?? [])];
  let bytes = 0;
  for (const { dataUrl, byteLength } of channels) {
    const plane = await fetch(server.url + dataUrl);
    for await (const part of plane.body) bytes += part.length;
    if (plane.status !== 200) throw new Error(`${dataUrl}: ${plane.status} for ${byteLength} bytes`);
  }
  await call('DELETE', `${server.url}/api/v2/sessions/${body.sessionId}`);
  return bytes;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const root = join(dirname(fileURLToPath(import.meta.url)), '..');
  await benchMemory(root, join(root, 'bench', 'data'), console.log, process.argv.slice(2));
}
