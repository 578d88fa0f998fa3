// The servers that are compared, each in a process of its own, and what the system says about their memory.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { call } from '../processes.mjs';

const root = join(import.meta.dirname, '..', '..');
const POLL_MS = 5;
const PATIENCE_MS = 30_000;

/**
 * @typedef {object} Server
 * @property {string} name
 * @property {string} url
 * @property {number} pid
 * @property {number} startMs from the start of the process to the first answer of /health
 * @property {() => number} rss resident bytes
 * @property {() => number} peak highest resident bytes so far
 * @property {() => Promise<void>} stop
 */

/** @returns {Promise<Server>} */
export async function startOurs(folder) {
  const port = await freePort();
  const settings = ['--port', String(port), '--state-dir', join(folder, 'state')];
  return start('ours', process.execPath, [join(root, 'packages/server/dist/cli/main.js'), 'serve', ...settings], port);
}

/** @returns {Promise<Server>} */
export async function startReference(python) {
  const port = await freePort();
  return start('reference', python, [join(import.meta.dirname, 'server.py'), String(port)], port);
}

/** @returns {Promise<number>} a port that nobody listens at */
export function freePort() {
  const server = createServer();
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
      server.close(() => resolve(port));
    });
  });
}

/** @param {string} name @param {string} command @param {string[]} args @param {number} port @returns {Promise<Server>} */
async function start(name, command, args, port) {
  const begin = performance.now();
  const child = spawn(command, args, { stdio: 'ignore' });
  const ended = new Promise((resolve) => {
    child.once('exit', resolve);
  });
  const url = `http://127.0.0.1:${port}`;
  while (!(await isUp(url))) {
    if (child.exitCode !== null || performance.now() - begin > PATIENCE_MS) {
      child.kill('SIGKILL');
      throw new Error(`the server "${name}" did not start`);
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  const startMs = performance.now() - begin;
  const memory = (field) =>
    Number(new RegExp(`${field}:\\s+(\\d+)`).exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))[1]) * 1024;
  return {
    name,
    url,
    pid: child.pid,
    startMs,
    rss: () => memory('VmRSS'),
    peak: () => memory('VmHWM'),
    stop: async () => {
      child.kill('SIGTERM');
      const timer = setTimeout(() => child.kill('SIGKILL'), 5000);
      await ended;
      clearTimeout(timer);
    },
  };
}

/** @param {string} url */
function isUp(url) {
  return call('GET', `${url}/api/v2/health`).then(
    ({ status }) => status === 200,
    () => false,
  );
}
