/** The support bundle: what somebody needs who helps from afar, in one archive that the user can look into first. */
import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { release } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { ServerProgram } from '../interfaces.js';
import { cleanEnvironment } from './environment.js';
import { toCommand } from './formats.js';
import { readEnd } from './log.js';
import type { PageState } from './protocol.js';
import { createTar } from './tar.js';

export interface BundleOptions {
  program: ServerProgram;
  /** The archive is written to its folder `support`. */
  stateDir: string;
  state: PageState;
  /** Text of the settings file; empty when it does not exist. */
  settingsText: string;
  /** Acquisition to describe; empty for none. */
  inspected: string;
}

const MAX_LOG_BYTES = 2_000_000;
const INSPECT_MS = 60_000;
const MAX_OUTPUT_BYTES = 4 * 1024 * 1024;
/** Settings that must not leave the computer. */
const SECRETS = new Set(['token']);

/** Writes the bundle, for this user alone. Returns its path. */
export async function writeSupportBundle(options: BundleOptions): Promise<string> {
  const { program, stateDir, state, settingsText, inspected } = options;
  const about = {
    application: state.version,
    node: process.version,
    system: `${process.platform} ${process.arch} ${release()}`,
    server: state.server,
    recent: state.recent.length,
  };
  const texts: [string, string][] = [
    ['about.json', toJson(about)],
    ['settings.json', hideSecrets(settingsText)],
    ['acqstore.log', readEnd(state.logFile, MAX_LOG_BYTES)],
  ];
  if (inspected !== '') texts.push(['inspect.json', await inspect(program, inspected)]);
  const now = new Date();
  const entries = texts.map(([name, text]) => ({ name, bytes: Buffer.from(text) }));
  const folder = join(stateDir, 'support');
  const path = join(folder, `acquisition-store-${now.toISOString().slice(0, 19).replace(/[-:]/g, '')}.tar.gz`);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeFileSync(path, gzipSync(createTar(entries, now.getTime())), { mode: 0o600 });
  return path;
}

/** Returns the settings without secrets. Text that is not JSON could contain one anywhere, and is not repeated. */
export function hideSecrets(text: string): string {
  if (text === '') return '{}\n';
  try {
    const settings = JSON.parse(text) as Record<string, unknown>;
    return toJson(
      Object.fromEntries(Object.entries(settings).map(([key, value]) => [key, SECRETS.has(key) ? '(hidden)' : value])),
    );
  } catch {
    return 'The settings file is not valid JSON.\n';
  }
}

/** Returns what `acqstore inspect` prints about a file, also when it cannot be opened. */
function inspect({ command, args, env }: ServerProgram, path: string): Promise<string> {
  const options = { env: cleanEnvironment(env), timeout: INSPECT_MS, maxBuffer: MAX_OUTPUT_BYTES, windowsHide: true };
  return new Promise((resolve) => {
    execFile(command, [...toCommand(args), 'inspect', '--json', '--', path], options, (error, stdout, stderr) =>
      resolve(stdout || stderr || toJson({ error: error?.message ?? 'inspect printed nothing' })),
    );
  });
}

function toJson(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
