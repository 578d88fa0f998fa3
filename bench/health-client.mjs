// The client of bench/health.mjs, in a process of its own: asks for /health over one connection, waits, and asks again.
//   node bench/health-client.mjs URL SECONDS     prints the milliseconds of each answer as JSON
import { Agent, request } from 'node:http';

const PAUSE_MS = 2;
const [url, seconds] = process.argv.slice(2);
const agent = new Agent({ keepAlive: true, maxSockets: 1 });

/** @returns {Promise<number>} */
function ask() {
  return new Promise((resolve, reject) => {
    const start = performance.now();
    const req = request(url, { agent }, (response) => {
      response.resume();
      response.on('end', () => resolve(performance.now() - start));
    });
    req.on('error', reject);
    req.end();
  });
}

const times = [];
const end = performance.now() + Number(seconds) * 1000;
// The first answers pay for the connection and for cold code.
for (let i = 0; i < 20; i++) await ask();
while (performance.now() < end) {
  times.push(await ask());
  await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
}
console.log(JSON.stringify(times));
agent.destroy();
