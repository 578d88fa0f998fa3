// Runs the programs that install and build.
import { spawn } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const SIGNALS = /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP']);

/**
 * Runs a program in the folder of the project. Ends this process if the program fails; a signal ends both.
 * @param {string} command
 * @param {string[]} args
 * @param {import('node:child_process').StdioOptions} [stdio]
 * @returns {Promise<void>}
 */
export function runChild(command, args, stdio = 'inherit') {
  const child = spawn(command, args, { cwd: root, stdio });
  const pass = (/** @type {NodeJS.Signals} */ signal) => child.kill(signal);
  for (const signal of SIGNALS) process.on(signal, pass);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => {
      for (const name of SIGNALS) process.off(name, pass);
      if (signal !== null) process.kill(process.pid, signal);
      else if (code !== 0) process.exit(code ?? 1);
      else resolve();
    });
  });
}
