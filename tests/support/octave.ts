/** GNU Octave with the client in `matlab/`. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { REPOSITORY } from './cli.js';

/** Runs Octave code and returns what it prints. An error of the code rejects with its message. */
export async function octave(code: string, env: NodeJS.ProcessEnv = {}): Promise<string> {
  const folder = join(REPOSITORY, 'matlab');
  const args = ['--no-gui', '--no-init-file', '--quiet', '--eval', `addpath('${folder}'); ${code}`];
  const { stdout } = await promisify(execFile)('octave-cli', args, { env: { ...process.env, ...env } });
  return stdout;
}
