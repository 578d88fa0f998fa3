// The servers that are compared, each in a process of its own, and what the system says about their memory and time.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { call } from '../processes.mjs';
import { atPort } from './peer.mjs';

const root = join(import.meta.dirname, '..', '..');
const POLL_MS = 5;
const PATIENCE_MS = 30_000;
/** Milliseconds of one unit of /proc/PID/stat: USER_HZ is 100 on every Linux of today. */
const TICK_MS = 10;

/**
 * @typedef {object} Server
 * @property {string} name
 * @property {string} url
 * @property {'v1' | 'v2'} api
 * @property {number} pid
 * @property {number} startMs from the start of the process to the first answer of /health
 * @property {() => number} age seconds since then
 * @property {() => number} processorMs user and system time of all threads so far, in steps of 10 ms
 * @property {() => number} rss resident bytes
 * @property {() => number} peak highest resident bytes so far
 * @property {() => Promise<void>} stop
 *
 * @typedef {{ name: string, start: () => Promise<Server> }} Contestant
 */

/**
 * Ours, the reference, and the peer when there is one.
 * @param {{ data: string, python: string, peer?: import('./peer.mjs').Peer }} options
 * @returns {Contestant[]}
 */
export function contestants({ data, python, peer }) {
  return [
    { name: 'ours', start: () => startOurs(data) },
    { name: 'reference', start: () => startReference(python) },
    ...(peer ? [{ name: 'peer', start: () => startPeer(peer) }] : []),
  ];
}

/** @returns {Promise<Server>} */
export async function startOurs(folder) {
  const port = await freePort();
  const settings = ['--port', String(port), '--state-dir', join(folder, 'state')];
  const command = [process.execPath, join(root, 'packages/server/dist/cli/main.js'), 'serve', ...settings];
  return start('ours', command, port);
}

/** @returns {Promise<Server>} */
async function startReference(python) {
  const port = await freePort();
  return start('reference', [python, join(import.meta.dirname, 'server.py'), String(port)], port);
}

/** What Node itself takes for the same requests: `bare.mjs`. @type {Contestant} */
export const BARE = {
  name: 'bare',
  start: async () => {
    const port = await freePort();
    return start('bare', [process.execPath, join(import.meta.dirname, 'bare.mjs'), String(port)], port);
  },
};

/** @param {import('./peer.mjs').Peer} peer @returns {Promise<Server>} */
async function startPeer({ dir, command, api, env }) {
  const port = await freePort();
  return start('peer', atPort(command, port), port, { api, cwd: dir, env: { ...process.env, ...env } });
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

/**
 * @param {string} name @param {string[]} command @param {number} port
 * @param {{ api?: 'v1' | 'v2', cwd?: string, env?: NodeJS.ProcessEnv }} [options]
 * @returns {Promise<Server>}
 */
async function start(name, [program, ...args], port, { api = 'v2', ...options } = {}) {
  const begin = performance.now();
  const child = spawn(program, args, { stdio: 'ignore', ...options });
  const ended = new Promise((resolve) => {
    child.once('exit', resolve);
    child.once('error', resolve);
  });
  const url = `http://127.0.0.1:${port}`;
  while (!(await isUp(`${url}/api/${api}/health`))) {
    if (child.pid === undefined || child.exitCode !== null || performance.now() - begin > PATIENCE_MS) {
      child.kill('SIGKILL');
      throw new Error(`the server "${name}" did not start`);
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  const up = performance.now();
  const about = (file) => readFileSync(`/proc/${child.pid}/${file}`, 'utf8');
  const memory = (field) => Number(new RegExp(`${field}:\\s+(\\d+)`).exec(about('status'))[1]) * 1024;
  return {
    name,
    url,
    api,
    pid: child.pid,
    startMs: up - begin,
    age: () => (performance.now() - up) / 1000,
    processorMs: () => processorTicks(about('stat')) * TICK_MS,
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

/**
 * User and system time of a process, those of threads that have ended included.
 * @param {string} stat the text of /proc/PID/stat, whose second field, the name, may have spaces and parentheses
 */
export function processorTicks(stat) {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return Number(fields[11]) + Number(fields[12]);
}

/** @param {string} url */
function isUp(url) {
  return call('GET', url).then(
    ({ status }) => status === 200,
    () => false,
  );
}
