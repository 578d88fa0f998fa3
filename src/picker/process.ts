import { type ChildProcess, spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import { exhaustionError } from '../io/exhaustion.js';

export interface RunOptions {
  env: NodeJS.ProcessEnv;
  /** Ends the program. */
  signal: AbortSignal;
}

export type RunResult = { status: 'ended'; ended: Ended } | { status: 'stopped' } | { status: 'missing'; why: string };

export interface Ended {
  /** Null when a signal ended it. */
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: Buffer;
  stderr: string;
}

/** A path has at most some thousand bytes. */
const MAX_STDOUT = 2 ** 20;
const MAX_STDERR = 2 ** 14;
const KILL_AFTER_MS = 2_000;
/** Helpers that a dialog leaves behind (KDE starts some) may hold its output open. */
const OUTPUT_AFTER_EXIT_MS = 500;

/**
 * Runs a dialog program without a shell and waits until it is gone. It never outlives this process's orderly exit.
 * @throws AcqError `capacity_exceeded` when the system has no descriptor or process left
 */
export function run(command: string, args: readonly string[], options: RunOptions): Promise<RunResult> {
  if (options.signal.aborted) return Promise.resolve({ status: 'stopped' });
  return new Promise<RunResult>((resolve, reject) => {
    const stdio = ['ignore', 'pipe', 'pipe'] as const;
    const child: ChildProcess = spawn(command, args, { stdio: [...stdio], env: options.env, windowsHide: true });
    // Without descriptors there are no pipes either; the reason follows as an event.
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
    // Most reasons are events; a few (out of memory, arguments too long) are thrown.
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

/** Ends the child with the signal or with this process. Returns what undoes it. */
function stopWith(child: ChildProcess, signal: AbortSignal): () => void {
  let insist: NodeJS.Timeout | undefined;
  const stop = () => {
    child.kill('SIGTERM');
    insist = setTimeout(() => child.kill('SIGKILL'), KILL_AFTER_MS);
  };
  const onExit = () => void child.kill('SIGKILL');
  signal.addEventListener('abort', stop, { once: true });
  process.once('exit', onExit);
  return () => {
    clearTimeout(insist);
    signal.removeEventListener('abort', stop);
    process.off('exit', onExit);
  };
}

/** How a program ended, for a message: `exit code 255: cannot open display`. */
export function describeEnd({ code, signal, stderr }: Ended): string {
  const how = code === null ? `ended by ${signal ?? 'a signal'}` : `exit code ${code}`;
  return `${how}: ${firstLine(stderr) || 'it printed no reason'}`;
}

/** The error output of a program that ended as usual, if there is any. */
export function printed(stderr: string): { printed?: string } {
  const line = firstLine(stderr);
  return line === '' ? {} : { printed: line };
}

/** The first line that says something, for a message. */
export function firstLine(text: string): string {
  const line = text.split('\n').find((one) => one.trim() !== '') ?? '';
  return line.trim().slice(0, 200);
}

/**
 * The environment of a dialog program: ours, without our settings (a token among them), and with a UTF-8 locale,
 * because titles and paths cross the pipe as UTF-8.
 */
export function dialogEnv(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const own = Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith('ACQSTORE_')));
  const locale = own['LC_ALL'] || own['LC_CTYPE'] || own['LANG'] || '';
  if (/utf-?8/i.test(locale)) return own;
  // LC_ALL would win over LC_CTYPE. The language of the texts is LANG's, and stays.
  delete own['LC_ALL'];
  return { ...own, LC_CTYPE: 'C.UTF-8' };
}
