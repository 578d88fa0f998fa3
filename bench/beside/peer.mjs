// The real peer, when its checkout is given: `--peer DIR`. It is never fetched, installed or changed by us.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const DESCRIPTION = 'peer.json';

/**
 * How a server of the same contract is started: `DIR/peer.json`, such as
 * `{ "command": [".venv/bin/python", "-m", "uvicorn", "server:app", "--port", "{port}"], "api": "v2", "env": {} }`.
 * The command runs in DIR, with the port in place of `{port}`, and answers `/api/v2/health` (or `/api/v1/health`) at
 * 127.0.0.1. `api` is the version that the bench speaks with it, v2 when omitted; `env` adds to the environment.
 * @typedef {{ dir: string, command: string[], api: 'v1' | 'v2', env: Record<string, string>, version: string }} Peer
 */

/** @param {string} dir @returns {Peer} @throws Error that says what is wrong with the folder */
export function readPeer(dir) {
  const folder = resolve(dir);
  const path = join(folder, DESCRIPTION);
  if (!existsSync(path)) throw new Error(`--peer: ${path} is missing; bench/beside/peer.mjs says what it has`);
  return { dir: folder, ...checkPeer(JSON.parse(readFileSync(path, 'utf8'))), version: commitOf(folder) };
}

/** @param {any} value of peer.json @returns {Pick<Peer, 'command' | 'api' | 'env'>} */
export function checkPeer({ command, api = 'v2', env = {} }) {
  const isText = (part) => typeof part === 'string' && part !== '';
  if (!Array.isArray(command) || command.length === 0 || !command.every(isText))
    throw new Error(`${DESCRIPTION}: "command" must be a list of texts: the program and its arguments`);
  if (!command.some((part) => part.includes('{port}')))
    throw new Error(`${DESCRIPTION}: "command" must have {port}, in whose place the port is put`);
  if (api !== 'v1' && api !== 'v2') throw new Error(`${DESCRIPTION}: "api" must be v1 or v2`);
  return { command, api, env };
}

/** @param {string[]} command @param {number} port */
export const atPort = (command, port) => command.map((part) => part.replaceAll('{port}', String(port)));

/** @param {string} folder @returns {string} its commit, so that figures of one peer are not taken for those of another */
function commitOf(folder) {
  try {
    const options = {
      encoding: /** @type {const} */ ('utf8'),
      stdio: /** @type {any} */ (['ignore', 'pipe', 'ignore']),
    };
    return `commit ${execFileSync('git', ['-C', folder, 'rev-parse', '--short=9', 'HEAD'], options).trim()}`;
  } catch {
    return 'no commit';
  }
}
