// Runs a server whose modules are not bundled, and finds out what opening a file calls.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';

const OPENS = 40;
/** Until then, the server has opened files to become fast. */
const QUIET_MS = 25_000;
const PORT = 18_799;
const WATCHER = join(dirname(fileURLToPath(import.meta.url)), 'watch-calls.mjs');

/** @param {string} root @param {string} file @param {string} work an empty folder */
export async function watchOpens(root, file, work) {
  const counts = join(work, 'counts');
  mkdirSync(counts);
  const main = ['packages/server/dist', 'dist'].map((folder) => join(root, folder, 'cli/main.js')).find(existsSync);
  if (!main) throw new Error(`${root} is not compiled`);
  const child = spawn(
    process.execPath,
    [main, 'serve', '--port', String(PORT), '--state-dir', join(work, 'state'), '--workers', '1'],
    {
      env: {
        ...process.env,
        NODE_OPTIONS: `--import ${pathToFileURL(WATCHER)}`,
        WATCH_FROM: String(Date.now() + QUIET_MS),
        WATCH_INTO: counts,
      },
      stdio: 'ignore',
    },
  );
  try {
    await sleep(QUIET_MS + 1000);
    for (let i = 0; i < OPENS; i++) {
      // Each has its own content to read: nothing is known of it.
      const copy = join(work, `${i}${/\.[^.]*$/.exec(file)?.[0]}`);
      copyFileSync(file, copy);
      await openAndEnd(copy);
    }
    await sleep(1000);
  } finally {
    child.kill('SIGTERM');
    await once(child, 'exit');
  }
  return summarize(root, counts);
}

/** @param {string} path */
async function openAndEnd(path) {
  const api = `http://127.0.0.1:${PORT}/api/v2`;
  const headers = { 'content-type': 'application/json' };
  const opened = await fetch(`${api}/open`, { method: 'POST', headers, body: JSON.stringify({ path }) });
  const { sessionId, message } = await opened.json();
  if (!sessionId) throw new Error(message);
  await (await fetch(`${api}/sessions/${sessionId}/channels/0/data`)).arrayBuffer();
  await fetch(`${api}/sessions/${sessionId}`, { method: 'DELETE' });
}

/** @param {string} root @param {string} folder with the counts of each thread */
function summarize(root, folder) {
  /** Calls of a function, and of a function by a module. @type {Map<string, number>} */
  const functions = new Map();
  /** @type {Map<string, number>} */
  const calls = new Map();
  for (const name of readdirSync(folder)) {
    /** @type {[string, number][]} */
    const counted = JSON.parse(readFileSync(join(folder, name), 'utf8'));
    for (const [key, count] of counted) {
      const [module = '', start = '', caller = ''] = key.split('\t');
      add(functions, `${module}\t${start}`, count);
      if (caller !== '')
        add(calls, `${relative(root, fileURLToPath(caller)).replace(/\.js$/, '')}\t${module.slice(1)}`, count);
    }
  }
  // What happens by itself, such as a look at the clock, happens less often.
  const entered = [...functions].filter(([, count]) => count >= OPENS).map(([key]) => key);
  const modules = [...new Set(entered.map((key) => key.split('\t')[0]?.slice(1) ?? ''))].sort();
  const frequent = [...calls].filter(([, count]) => count >= OPENS).map(([key]) => key.split('\t'));
  return { modules, functions: entered.length, climbs: findClimbs(root, frequent) };
}

/** @param {Map<string, number>} map @param {string} key @param {number} count */
function add(map, key, count) {
  map.set(key, (map.get(key) ?? 0) + count);
}

/**
 * Returns the pairs of folders where a module is called by one that it imports, directly or through others, and that does
 * not import it: the call goes up, by a function that was handed down.
 * @param {string} root @param {readonly string[][]} calls
 */
function findClimbs(root, calls) {
  const climbs = new Set();
  for (const [caller = '', called = ''] of calls) {
    const [from, to] = [dirname(caller), dirname(called)];
    if (from === to || reaches(root, caller, called) || !reaches(root, called, caller)) continue;
    climbs.add(`${from} → ${to}`);
  }
  return [...climbs].sort();
}

/** @type {Map<string, Set<string>>} */
const reached = new Map();

/** @param {string} root @param {string} from @param {string} to */
function reaches(root, from, to) {
  let known = reached.get(from);
  if (!known) {
    known = new Set();
    const left = [from];
    for (let module = left.pop(); module !== undefined; module = left.pop()) {
      for (const next of importsOf(root, module)) {
        if (known.has(next)) continue;
        known.add(next);
        left.push(next);
      }
    }
    reached.set(from, known);
  }
  return known.has(to);
}

/** @param {string} root @param {string} module @returns {string[]} the modules of dist/ that it imports */
function importsOf(root, module) {
  const path = join(root, `${module}.js`);
  if (!existsSync(path)) return [];
  const specifiers = [...readFileSync(path, 'utf8').matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g)].map(
    ([, one]) => one ?? '',
  );
  return specifiers.flatMap((specifier) => {
    if (specifier.startsWith('.')) return [relative(root, resolve(dirname(path), specifier)).replace(/\.js$/, '')];
    const [, name, rest] = /^@acquisition-store\/(\w+)\/(.*?)(?:\.js)?$/.exec(specifier) ?? [];
    return name ? [`packages/${name}/dist/${rest}`] : [];
  });
}
