/** What a command line asks for: the window of the application, or a command of `acqstore`. */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Commands of `acqstore`; a file with such a name is opened as `./serve`. */
export const COMMANDS = [
  ...['serve', 'status', 'stop', 'inspect', 'export', 'catalog', 'check', 'formats', 'token', 'mcp', 'conformance'],
  ...['completions', 'help'],
];

export type Request = { kind: 'command' } | { kind: 'window'; file: string | undefined };

/**
 * Returns what the arguments ask for. No argument, or the path of something that exists, asks for the window.
 * @param cwd folder that a relative path starts in
 */
export function readRequest(args: readonly string[], cwd: string): Request {
  const [first] = args;
  if (first === undefined) return { kind: 'window', file: undefined };
  if (first.startsWith('-') || COMMANDS.includes(first)) return { kind: 'command' };
  const file = toPath(first, cwd);
  // A wrong command is refused with a hint, and a file that is missing like a wrong command.
  return /[/\\]/.test(first) || existsSync(file) ? { kind: 'window', file } : { kind: 'command' };
}

/** Desktops hand over files as paths or as `file:` addresses. */
function toPath(argument: string, cwd: string): string {
  if (!argument.startsWith('file:')) return resolve(cwd, argument);
  try {
    return fileURLToPath(argument);
  } catch {
    return resolve(cwd, argument);
  }
}
