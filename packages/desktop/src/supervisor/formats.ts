import { execFile } from 'node:child_process';
import type { ServerProgram } from '../interfaces.js';
import { cleanEnvironment } from './environment.js';
import type { Format } from './protocol.js';

const MAX_MS = 15_000;

/** Returns the formats that the image server reads, with their extensions. @throws Error when its program cannot be run */
export function listFormats({ command, args, env }: ServerProgram): Promise<Format[]> {
  const options = { env: cleanEnvironment(env), timeout: MAX_MS, windowsHide: true };
  return new Promise((resolve, reject) => {
    execFile(command, [...toCommand(args), 'formats', '--json'], options, (error, stdout) => {
      if (error) reject(new Error(`The list of formats could not be read: ${error.message.split('\n')[0]}`));
      else resolve((JSON.parse(stdout) as { label: string; extensions: string[] }[]).map(toFormat));
    });
  });
}

/** Returns the arguments of the program before its command: those of a server end with `serve`. */
export function toCommand(args: readonly string[]): readonly string[] {
  return args.at(-1) === 'serve' ? args.slice(0, -1) : args;
}

function toFormat({ label, extensions }: { label: string; extensions: string[] }): Format {
  return { name: label, extensions };
}
