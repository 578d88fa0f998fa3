// npm run bench: measures the reader and the server beside cat, a bare read, and nginx on the same machine in the same
// run, and prints a Markdown report. `--write` puts it into docs/benchmarks.md.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { benchAnalysis } from './analysis.mjs';
import { benchBruker } from './bruker.mjs';
import { benchCzi } from './czi.mjs';
import { prepare } from './files.mjs';
import { benchHdf5 } from './hdf5.mjs';
import { benchMemory } from './memory.mjs';
import { benchOmeZarr } from './ome-zarr.mjs';
import { benchOneFile } from './one-file.mjs';
import { benchOpen } from './open.mjs';
import { call, catTime, curlSpeed, startNginx, startServer } from './processes.mjs';
import { benchScrub } from './scrub.mjs';
import { writeAllSections } from './sections.mjs';
import { benchViewer } from './viewer.mjs';
import { benchFirstPictures } from './viewer-first.mjs';
import { benchStack } from './viewer-stack.mjs';
import { benchWholeViewer } from './viewer-whole.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const data = join(root, 'bench', 'data');
const lines = [];
const say = (text = '') => {
  lines.push(text);
  console.log(text);
};
const ms = (value) => `${value < 10 ? value.toFixed(1) : Math.round(value)} ms`;
const child = (...args) =>
  JSON.parse(execFileSync(process.execPath, [join(root, 'bench/library.mjs'), ...args], { encoding: 'utf8' }));

function measuredFiles() {
  const real = join(root, '../shared/samples/tiff-olympus-kymograph/mapmanager+kymflow/Capillary1_0001.tif');
  const files = prepare(data);
  return existsSync(real) ? [{ name: 'kymograph 30,000×38 (real)', path: real, planes: 1 }, ...files] : files;
}

function library(files) {
  say('## Reader, in process');
  say();
  say('| file | open | first plane | all planes | bare read + set | all ÷ bare | `cat` |');
  say('|---|--:|--:|--:|--:|--:|--:|');
  for (const file of files) {
    const t = child('time', file.path, file.name.includes('stack') ? '3' : '7');
    say(
      `| ${file.name} | ${ms(t.open)} | ${ms(t.first)} | ${ms(t.all)} | ${ms(t.bare)} | ${(t.all / t.bare).toFixed(2)} | ` +
        `${file.name.includes('stack') ? '–' : ms(catTime(file.path))} |`,
    );
  }
  const stack = files.find((file) => file.name.includes('stack'));
  const memory = child('memory', stack.path);
  say();
  say(
    `Memory, one plane of the 4 GB stack: the resident set grows by ${(memory.growth / memory.planeBytes).toFixed(2)} × ` +
      `the plane's bytes (${Math.round(memory.planeBytes / 2 ** 20)} MiB of float32).`,
  );
  say();
}

async function server(files) {
  const ours = await startServer(root, data, 18_767);
  const nginx = startNginx(data, 18_768);
  say('## Server, over HTTP');
  say();
  say('| file | `POST open`, 1 channel | all channels | plane by curl | nginx, same bytes | ours ÷ nginx |');
  say('|---|--:|--:|--:|--:|--:|');
  try {
    for (const file of files) await overHttp(ours, nginx, file);
    say();
    await health(
      ours,
      files.find((file) => file.name.includes('deflate')),
    );
  } finally {
    ours.stop();
    nginx?.stop();
  }
}

async function overHttp(ours, nginx, file) {
  const first = await opened(ours, { path: file.path, channelIndices: [0] });
  const all = await opened(ours, { path: file.path }, true);
  const url = ours.url + all.body.channels[0].dataUrl;
  execFileSync('curl', ['-s', '-o', join(data, 'plane.f32'), url]);
  const own = curlSpeed(url);
  const theirs = nginx ? curlSpeed(`${nginx.url}/plane.f32`) : 0;
  await call('DELETE', `${ours.url}/api/v2/sessions/${all.body.sessionId}`);
  const rate = (value) => `${(value / 2 ** 30).toFixed(2)} GiB/s`;
  say(
    `| ${file.name} | ${ms(first.ms)} | ${ms(all.ms)} | ${rate(own)} | ${nginx ? rate(theirs) : 'not installed'} | ` +
      `${nginx ? (own / theirs).toFixed(2) : '–'} |`,
  );
}

/** Opens five times and keeps the median; the last session stays when asked to. */
async function opened(ours, body, keep = false) {
  const answers = [];
  for (let i = 0; i < 5; i++) {
    const answer = await call('POST', `${ours.url}/api/v2/open`, body);
    if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
    if (!keep || i < 4) await call('DELETE', `${ours.url}/api/v2/sessions/${answer.body.sessionId}`);
    answers.push(answer);
  }
  const last = answers.at(-1);
  const times = answers.map((answer) => answer.ms).sort((a, b) => a - b);
  return { ...last, ms: times[2] };
}

async function health(ours, file) {
  let busy = true;
  const times = [];
  const poll = (async () => {
    while (busy) {
      times.push((await call('GET', `${ours.url}/api/v2/health`)).ms);
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
  })();
  for (let i = 0; i < 6; i++) {
    const answer = await call('POST', `${ours.url}/api/v2/open`, { path: file.path });
    await call('DELETE', `${ours.url}/api/v2/sessions/${answer.body.sessionId}`);
  }
  busy = false;
  await poll;
  times.sort((a, b) => a - b);
  const p = (share) => times[Math.floor(times.length * share)].toFixed(1);
  say(
    `\`GET /health\` while the compressed file decodes on all workers (${times.length} requests): median ${p(0.5)} ms, ` +
      `99th percentile ${p(0.99)} ms.`,
  );
}

say('# Benchmarks');
say();
say(
  `Made by \`npm run bench\` with Node ${process.version} on ${cpus().length} cores, ${Math.round(totalmem() / 2 ** 30)} GiB. ` +
    'Only the ratios mean something: both sides ran on the same machine in the same run, from the page cache.',
);
say();
const files = measuredFiles();
library(files);
await benchCzi(data, say);
await benchOmeZarr(data, say);
await benchBruker(data, say);
await benchHdf5(data, say);
await server(files);
await benchAnalysis(root, data, say);
await benchOpen(root, data, say);
await benchScrub(root, data, say);
await benchMemory(root, data, say);
await benchOneFile(root, data, say);
const whole = await benchViewer(say);
await benchWholeViewer(root, data, say, whole);
await benchFirstPictures(root, data, say);
await benchStack(root, data, say);
if (process.argv.includes('--write'))
  writeAllSections(join(root, 'docs/benchmarks.md'), lines, [
    '## Beside a reference server in Python',
    // Written by hand.
    '## Where this server is behind the reference',
    '## Load',
    '## Viewer: beside Avivator',
  ]);
