import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';

export const REPOSITORY = resolve(import.meta.dirname, '../..');
export const SAMPLE = join(REPOSITORY, 'examples', 'vessel-kymograph.ome.tif');
export const MAIN = join(REPOSITORY, 'packages/server/dist', 'cli', 'main.js');

export interface Ended {
  code: number | null;
  /** What ended the program, when it did not end by itself. */
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

/** A packaged program that is tested in place of the build of this working tree: `npm run test:package` sets it. */
export const PACKAGED = process.env['ACQSTORE_TEST_PROGRAM'];

/** The example that the tested program brings. */
export const EXAMPLE = PACKAGED ? join(dirname(PACKAGED), 'examples', basename(SAMPLE)) : SAMPLE;

/** Settings of servers that need no warm-up, which takes seconds of processor time. */
export const COLD = { ACQSTORE_COLD_START: '1' };

/** The real command line in a process of its own, with a state folder of its own and no settings of the user. */
export class Cli {
  readonly stateHome = mkdtempSync(join(tmpdir(), 'acq-cli-'));
  readonly stateDir = join(this.stateHome, 'acquisition-store');
  private readonly children: ChildProcess[] = [];
  private readonly command: [executable: string, ...args: string[]];

  /** This Node and the build of this working tree, or others. */
  constructor({ executable = process.execPath, main = MAIN } = {}) {
    const isDefault = executable === process.execPath && main === MAIN;
    this.command = isDefault && PACKAGED ? [PACKAGED] : [executable, main];
  }

  /** Runs to the end. */
  run(args: string[], env: NodeJS.ProcessEnv = {}): Promise<Ended> {
    return this.start(args, env).ended;
  }

  start(args: string[], env: NodeJS.ProcessEnv = {}): Running {
    const clean = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('ACQSTORE_')));
    const [executable, ...first] = this.command;
    const child = spawn(executable, [...first, ...args], {
      env: { ...clean, ...COLD, XDG_STATE_HOME: this.stateHome, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.children.push(child);
    return new Running(child);
  }

  /** Starts a server on a free port and waits until it answers. */
  async serve(args: string[] = [], env: NodeJS.ProcessEnv = {}): Promise<Running & { url: string; port: number }> {
    const running = this.start(['serve', '--port', '0', ...args], env);
    const [, url] = await running.says(/API +(http:\S+)\/api\/v2\n[\s\S]*Ctrl-C/);
    return Object.assign(running, { url: url as string, port: Number(new URL(url as string).port) });
  }

  /** Ends what is still running. */
  async close(): Promise<void> {
    for (const child of this.children) {
      if (child.exitCode !== null || child.signalCode) continue;
      const ended = new Promise((done) => child.once('close', done));
      child.kill('SIGKILL');
      await ended;
    }
    rmSync(this.stateHome, { recursive: true, force: true });
  }
}

export class Running {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
  private readonly text = { stdout: '', stderr: '' };

  constructor(child: ChildProcess) {
    this.child = child;
    for (const name of ['stdout', 'stderr'] as const) {
      child[name]?.setEncoding('utf8').on('data', (part: string) => {
        this.text[name] += part;
      });
    }
    this.ended = new Promise((done) => child.once('close', (code, signal) => done({ code, signal, ...this.text })));
  }

  get stdout(): string {
    return this.text.stdout;
  }

  /** Waits for words on standard output. */
  async says(pattern: RegExp, milliseconds = 50_000): Promise<RegExpMatchArray> {
    let over = false;
    void this.ended.then(() => {
      over = true;
    });
    for (const end = Date.now() + milliseconds; Date.now() < end && !over; ) {
      const match = pattern.exec(this.text.stdout);
      if (match) return match;
      await new Promise((next) => setTimeout(next, 20));
    }
    const match = pattern.exec(this.text.stdout);
    if (match) return match;
    throw new Error(`never said ${pattern}: ${this.text.stdout}${this.text.stderr}`);
  }

  interrupt(): Promise<Ended> {
    this.child.kill('SIGINT');
    return this.ended;
  }
}
