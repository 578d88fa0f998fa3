import { spawnSync } from 'node:child_process';

/**
 * Runs a program, and throws when it fails.
 * @param {string} cwd
 * @param {string} command
 * @param {string[]} args
 * @param {NodeJS.ProcessEnv} [env]
 * @returns {string} what it prints
 */
export function run(cwd, command, args, env = process.env) {
  const windows = process.platform === 'win32';
  const result = spawnSync(command, args, { cwd, env, encoding: 'utf8', shell: windows, maxBuffer: 2 ** 28 });
  if (result.status === 0) return result.stdout;
  const reason = result.error?.message ?? `ended with exit code ${result.status}:\n${result.stdout}${result.stderr}`;
  throw new Error(`${command} ${args.join(' ')}: ${reason}`);
}
