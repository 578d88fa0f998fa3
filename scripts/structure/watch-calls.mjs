// Loaded with --import before a server whose modules are not bundled: counts the functions that each thread enters after
// WATCH_FROM (milliseconds since 1970), and who called them, and writes both to WATCH_INTO.
import { writeFileSync } from 'node:fs';
import { register } from 'node:module';
import { join } from 'node:path';
import { threadId } from 'node:worker_threads';

const from = Number(process.env['WATCH_FROM']);
const file = join(process.env['WATCH_INTO'] ?? '.', `${process.pid}-${threadId}.json`);
/** @type {Map<string, number>} */
const counts = new Map();
let written = 0;
const OWN = /dist\/(.*)\.js$/;

/** Called at the start of each function of a module. @param {string} entered its module and name */
Reflect.set(globalThis, '__entered', (entered) => {
  if (Date.now() < from) return;
  const { prepareStackTrace } = Error;
  Error.prepareStackTrace = (_, sites) => sites.map((site) => site.getFileName() ?? '');
  const names = /** @type {string[]} */ (/** @type {unknown} */ (new Error('for its stack').stack));
  Error.prepareStackTrace = prepareStackTrace;
  const own = entered.split('\t')[0];
  // A function of the runtime, such as `map`, may be between the two.
  const caller = names.slice(2).find((name) => OWN.test(name));
  const key = `${entered}\t${caller === undefined || caller.endsWith(`${own}.js`) ? '' : caller}`;
  counts.set(key, (counts.get(key) ?? 0) + 1);
});
Error.stackTraceLimit = 20;

setInterval(() => {
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
  if (total === written) return;
  written = total;
  writeFileSync(file, JSON.stringify([...counts]));
}, 200).unref();

register('./mark-functions.mjs', import.meta.url);
