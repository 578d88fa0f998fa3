// Windows and analysis over HTTP of a line scan of 200,000 × 512 samples, beside a plain loop over as many samples.
import { closeSync, openSync, readSync } from 'node:fs';
import { prepareLongScan } from './files.mjs';
import { call, startServer } from './processes.mjs';

const [ROWS, COLUMNS] = [200_000, 512];
const ROUNDS = 5;

/** What is asked, with the limit of its time in milliseconds on the machine that the design was measured on. */
const QUESTIONS = [
  ['overview 1000 × 512, the first', 'GET', 'overview?height=1000&width=512', undefined, 1],
  ['overview 1000 × 512', 'GET', 'overview?height=1000&width=512'],
  ['overview 2000 × 512', 'GET', 'overview?height=2000&width=512'],
  ['statistics', 'GET', 'statistics'],
  ['statistics with percentiles', 'GET', 'statistics?percentiles=1,50,99'],
  ['statistics with a histogram', 'GET', 'statistics?bins=256'],
  ['trace of 40 columns', 'POST', 'traces', { along: 'Y', regions: [{ columns: [100, 140] }] }],
  [
    'profile of 1,181 × 7 samples',
    'POST',
    'profile',
    {
      points: [
        [0, 0],
        [1064, 511],
      ],
      width: 7,
    },
  ],
  ['window of 5,000 lines', 'GET', 'window?rows=100000:105000'],
];

/**
 * @param {string} root
 * @param {string} folder of the files of the benches
 * @param {(text?: string) => void} say
 */
export async function benchAnalysis(root, folder, say) {
  const path = prepareLongScan(folder);
  const server = await startServer(root, folder, 18_774, { flags: ['--log-level', 'warn'] });
  const loop = sumOfSamples();
  say('## Analysis, over HTTP');
  say();
  say(
    `A line scan of ${ROWS.toLocaleString('en')} × ${COLUMNS} samples in memory. The loop that is compared adds up as many ` +
      `float32 in JavaScript: ${Math.round(loop)} ms. Health is asked for every 2 ms meanwhile.`,
  );
  say();
  say('| question | ms | ÷ loop | slowest `GET /health`, ms |');
  say('|---|--:|--:|--:|');
  try {
    const far = await overviewOfFile(server.url, path);
    const { body } = await call('POST', `${server.url}/api/v2/open`, { path, channelIndices: [0] });
    const channel = `${server.url}/api/v2/sessions/${body.sessionId}/channels/0`;
    for (const [name, method, address, question, rounds = ROUNDS] of QUESTIONS) {
      const { ms, health } = await ask(server.url, { method, url: `${channel}/${address}`, question, rounds });
      say(
        `| ${name} | ${ms < 10 ? ms.toFixed(1) : Math.round(ms)} | ${(ms / loop).toFixed(2)} | ${health.toFixed(1)} |`,
      );
    }
    say();
    say(
      'Open and overview 2000 × 512 of a plane that is not in memory, read from the file: ' +
        `${Math.round(far.overview)} ms, ${(far.overview / far.loop).toFixed(2)} times a loop in JavaScript that reads ` +
        `the plane and finds its smallest and largest sample and its sum (${Math.round(far.loop)} ms), ` +
        `${(far.overview / far.read).toFixed(2)} times the bare read (${Math.round(far.read)} ms); the least of ${ROUNDS} each, in turns.`,
    );
  } finally {
    server.stop();
  }
  say();
}

/** Returns the median time of a question, and the longest that another client waited for an answer meanwhile. */
async function ask(base, { method, url, question, rounds }) {
  const times = [];
  let busy = true;
  let health = 0;
  const poll = (async () => {
    while (busy) {
      health = Math.max(health, (await call('GET', `${base}/api/v2/health`)).ms);
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
  })();
  for (let i = 0; i < rounds; i++) {
    const answer = await call(method, url, question);
    if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
    times.push(answer.ms);
  }
  busy = false;
  await poll;
  return { ms: times.sort((a, b) => a - b)[Math.floor(times.length / 2)], health };
}

/** Returns the least milliseconds of an overview from the file, of reading as many bytes, and of a loop over them. */
async function overviewOfFile(base, path) {
  const least = { overview: Infinity, read: Infinity, loop: Infinity };
  const keep = (name, ms) => {
    least[name] = Math.min(least[name], ms);
  };
  for (let i = 0; i < ROUNDS; i++) {
    keep(
      'read',
      readPlane(path, () => {}),
    );
    keep('loop', readPlane(path, reduce));
    // On a busy machine, the server has closed the connection by now: let this thread notice.
    await new Promise((resolve) => setTimeout(resolve, 20));
    const start = performance.now();
    const { body } = await call('POST', `${base}/api/v2/open`, { path, channelIndices: [0], decode: 'later' });
    const session = `${base}/api/v2/sessions/${body.sessionId}`;
    const answer = await call('GET', `${session}/channels/0/overview?height=2000&width=512`);
    keep('overview', performance.now() - start);
    if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
    await call('DELETE', session);
  }
  return least;
}

/** Reads as many bytes as a plane has, piece by piece. Returns the milliseconds. */
function readPlane(path, use) {
  const samples = new Uint16Array(1 << 19);
  const file = openSync(path, 'r');
  const start = performance.now();
  for (let left = 2 * ROWS * COLUMNS; left > 0; left -= samples.byteLength) {
    readSync(file, samples, 0, Math.min(left, samples.byteLength), null);
    use(samples);
  }
  const ms = performance.now() - start;
  closeSync(file);
  return ms;
}

function reduce(samples) {
  let [min, max, sum] = [Infinity, -Infinity, 0];
  for (let i = 0; i < samples.length; i++) {
    const sample = samples[i];
    if (sample < min) min = sample;
    if (sample > max) max = sample;
    sum += sample;
  }
  if (min > max) throw new Error(`nothing was read: ${sum}`);
}

/** Returns the milliseconds of a plain loop over as many samples. */
function sumOfSamples() {
  const samples = new Float32Array(ROWS * COLUMNS).fill(1.5);
  const times = Array.from({ length: 3 }, () => {
    const start = performance.now();
    let sum = 0;
    for (let i = 0; i < samples.length; i++) sum += samples[i];
    if (sum !== 1.5 * samples.length) throw new Error('the sum is wrong');
    return performance.now() - start;
  });
  return Math.min(...times);
}
