import { type ChildProcess, spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import { exhaustionError } from '../platform-node/exhaustion.js';

export interface RunOptions {
  env: NodeJS.ProcessEnv;
  /** Stops the program. */
  signal: AbortSignal;
}

export type RunResult = { status: 'ended'; ended: Ended } | { status: 'stopped' } | { status: 'missing'; why: string };

export interface Ended {
  /** Null when a signal ended the program. */
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: Buffer;
  stderr: string;
}

/** Paths have at most a few thousand bytes. */
const MAX_STDOUT = 2 ** 20;
const MAX_STDERR = 2 ** 14;
const KILL_AFTER_MS = 2_000;
/** Helpers that a dialog leaves running, as KDE does, may keep its output open. */
const OUTPUT_AFTER_EXIT_MS = 500;

/**
 * Runs a dialog program without a shell and waits for its end. The program is killed when this process exits normally.
 * @throws AcqError `capacity_exceeded` when the system has no descriptor or process left
 */
export function run(command: string, args: readonly string[], options: RunOptions): Promise<RunResult> {
  if (options.signal.aborted) return Promise.resolve({ status: 'stopped' });
  return new Promise<RunResult>((resolve, reject) => {
    const stdio = ['ignore', 'pipe', 'pipe'] as const;
    const child: ChildProcess = spawn(command, args, { stdio: [...stdio], env: options.env, windowsHide: true });
    // Without descriptors there are no pipes; the reason follows as an event.
    if (!child.stdout || !child.stderr) return void child.once('error', reject);
    const stdout = collect(child.stdout, MAX_STDOUT);
    const stderr = collect(child.stderr, MAX_STDERR);
    const release = stopWith(child, options.signal);
    const finish = () => {
      release();
      child.stdout?.destroy();
      child.stderr?.destroy();
    };
    const end = (code: number | null, signal: NodeJS.Signals | null) => {
      finish();
      const ended = { code, signal, stdout: stdout(), stderr: stderr().toString('utf8') };
      resolve(options.signal.aborted ? { status: 'stopped' } : { status: 'ended', ended });
    };
    child.once('error', (error) => {
      finish();
      reject(error);
    });
    child.once('exit', (code, signal) => void setTimeout(end, OUTPUT_AFTER_EXIT_MS, code, signal).unref());
    child.once('close', end);
    // Most errors are events; a few (out of memory, arguments too long) are thrown.
  }).catch((error: NodeJS.ErrnoException) => notStarted(error, options.signal));
}

function notStarted(error: NodeJS.ErrnoException, signal: AbortSignal): RunResult {
  if (signal.aborted) return { status: 'stopped' };
  const exhausted = exhaustionError('The file dialog cannot be opened', error);
  if (exhausted) throw exhausted;
  return {
    status: 'missing',
    why: error.code === 'ENOENT' ? 'is not installed' : `cannot be started (${error.message})`,
  };
}

function collect(stream: Readable, limit: number): () => Buffer {
  const chunks: Buffer[] = [];
  let size = 0;
  stream.on('data', (chunk: Buffer) => {
    if (size < limit) chunks.push(chunk.subarray(0, limit - size));
    size += chunk.length;
  });
  stream.on('error', () => stream.destroy());
  return () => Buffer.concat(chunks);
}

/** Stops the child when the signal aborts or this process exits. Returns a function that undoes this. */
function stopWith(child: ChildProcess, signal: AbortSignal): () => void {
  let killTimer: NodeJS.Timeout | undefined;
  const stop = () => {
    child.kill('SIGTERM');
    killTimer = setTimeout(() => child.kill('SIGKILL'), KILL_AFTER_MS);
  };
  const onExit = () => void child.kill('SIGKILL');
  signal.addEventListener('abort', stop, { once: true });
  process.once('exit', onExit);
  return () => {
    clearTimeout(killTimer);
    signal.removeEventListener('abort', stop);
    process.off('exit', onExit);
  };
}

/** Describes how a program ended: `exit code 255: cannot open display`. */
export function describeEnd({ code, signal, stderr }: Ended): string {
  const how = code === null ? `ended by ${signal ?? 'a signal'}` : `exit code ${code}`;
  return `${how}: ${firstLine(stderr) || 'no error message'}`;
}

/** Returns what a program that ended normally wrote to standard error, if anything. */
export function printed(stderr: string): { printed?: string } {
  const line = firstLine(stderr);
  return line === '' ? {} : { printed: line };
}

/** Returns the first line that is not empty, shortened for a message. */
function firstLine(text: string): string {
  const match = text.split('\n').find((line) => line.trim() !== '') ?? '';
  return match.trim().slice(0, 200);
}

/**
 * Returns the environment of a dialog program: that of the server without its settings, which include the token, and
 * with a UTF-8 locale, because titles and paths are exchanged as UTF-8.
 */
export function dialogEnv(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const cleaned = Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith('ACQSTORE_')));
  const locale = cleaned['LC_ALL'] || cleaned['LC_CTYPE'] || cleaned['LANG'] || '';
  if (/utf-?8/i.test(locale)) return cleaned;
  // LC_ALL would override LC_CTYPE. LANG, the language of the texts, stays.
  delete cleaned['LC_ALL'];
  return { ...cleaned, LC_CTYPE: 'C.UTF-8' };
}
