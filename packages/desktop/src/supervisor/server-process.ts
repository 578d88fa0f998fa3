import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type { ServerProgram } from '../interfaces.js';
import { cleanEnvironment } from './environment.js';
import { callServer } from './image-server.js';
import type { ServerLog } from './log.js';
import { readMemory } from './memory.js';
import { findFreePort, findPortOwner } from './port-owner.js';
import type { Health, ServerState } from './protocol.js';
import { ServerChannel } from './server-channel.js';

export interface ServerProcessOptions {
  program: ServerProgram;
  stateDir: string;
  settingsFile: string;
  log: ServerLog;
  /** Returns the port of the saved settings. */
  port: () => number;
  /** Called after each change of the state. */
  changed: () => void;
}

const HEALTH_INTERVAL_MS = 5_000;
const HEALTH_TIMEOUT_MS = 3_000;
/** The server waits up to 30 s for downloads; a window that closes cannot. */
const STOP_MS = 8_000;
const LAST_LINES = 12;

/** Exit codes of `acqstore serve`; `docs/cli.md` lists them. */
const EXIT_ALREADY_RUNNING = 0;
const EXIT_ADDRESS_TAKEN = 3;

/**
 * The image server as a child process. It is started and stopped only on request. Its standard input is a pipe of this
 * process: it stops when this process ends, in any way.
 */
export class ServerProcess {
  private current: ServerState = { name: 'stopped' };
  private child: ChildProcess | undefined;
  private channel: ServerChannel | undefined;
  private ended: Promise<void> = Promise.resolve();
  private starting: Promise<void> | undefined;
  private checks: NodeJS.Timeout | undefined;
  private isOver = false;
  private readonly options: ServerProcessOptions;

  constructor(options: ServerProcessOptions) {
    this.options = options;
  }

  get state(): ServerState {
    return this.current;
  }

  /**
   * Starts the server unless it runs. Resolves when it listens.
   * @throws Error that says why it does not run
   */
  async start(): Promise<void> {
    if (this.current.name === 'stopping') await this.ended;
    if (this.isOver) throw new Error('The application is ending.');
    if (this.current.name === 'running') return;
    this.starting ??= this.launch().finally(() => {
      this.starting = undefined;
    });
    await this.starting;
  }

  /** Asks the server to stop, and ends it when it does not. Resolves when its process has ended. */
  async stop(): Promise<void> {
    const { child } = this;
    if (!child) {
      // What is left of a failed start is only its message.
      this.become({ name: 'stopped' });
      return;
    }
    this.become({ name: 'stopping' });
    // The same as the end of this process. A signal could not be sent on Windows.
    child.stdin?.end();
    const timer = setTimeout(() => {
      this.options.log.add('warn', `The server has not stopped within ${STOP_MS / 1000} s; it is ended now.`);
      child.kill('SIGKILL');
    }, STOP_MS);
    await this.ended;
    clearTimeout(timer);
  }

  /** Stops the server for good: what still waits to open a file does not start it again. */
  async end(): Promise<void> {
    this.isOver = true;
    await this.stop();
  }

  /** Asks the server over the channel that only this process has. @throws Error when it does not answer */
  ask<Answer extends object>(method: string, more: object = {}): Promise<Answer> {
    return this.channel?.ask<Answer>(method, more) ?? Promise.reject(new Error('The server is not running.'));
  }

  private become(state: ServerState): void {
    this.current = state;
    this.options.changed();
  }

  private launch(): Promise<void> {
    const { program, stateDir, settingsFile, log } = this.options;
    this.become({ name: 'starting' });
    const config = existsSync(settingsFile) ? ['--config', settingsFile] : [];
    const args = [...program.args, '--control-with-stdin', '--state-dir', stateDir, ...config];
    const child = spawn(program.command, args, {
      stdio: ['pipe', 'pipe', 'pipe'],
      env: cleanEnvironment(program.env),
      windowsHide: true,
    });
    this.child = child;
    // Writing to a process that has ended is not a problem: the end itself is reported.
    child.stdin?.on('error', () => {});
    this.channel = new ServerChannel(child.stdin!, child.stdout!);
    const printed: string[] = [];
    return new Promise((resolve, reject) => {
      createInterface({ input: child.stderr! }).on('line', (line) => {
        const record = log.addPrinted(line);
        if (!record) printed.push(line.replace(/^acqstore: /, ''));
        if (printed.length > LAST_LINES) printed.shift();
        if (record?.msg === 'started' && typeof record['url'] === 'string') {
          this.listens(child, record['url']);
          resolve();
        }
      });
      this.ended = new Promise((done) => {
        let over = false;
        const end = (state: Promise<ServerState> | ServerState) => {
          if (over) return;
          over = true;
          this.child = undefined;
          clearInterval(this.checks);
          void Promise.resolve(state).then((final) => {
            this.become(final);
            done();
            reject(new Error(describeEnd(final)));
          });
        };
        child.once('error', (error) => end(this.failed(`The server could not be started: ${error.message}.`, printed)));
        child.once('close', (code, signal) => end(this.stateAfter(code, signal, printed)));
      });
    });
  }

  private listens(child: ChildProcess, url: string): void {
    if (this.child !== child || this.current.name !== 'starting') return;
    const port = Number(new URL(url).port);
    this.become({ name: 'running', url, port, pid: child.pid!, since: Date.now(), health: { name: 'unknown' } });
    const check = () => void this.check(child, url);
    this.checks = setInterval(check, HEALTH_INTERVAL_MS);
    check();
  }

  private async check(child: ChildProcess, url: string): Promise<void> {
    const health = await checkHealth(url, child.pid!);
    const { current } = this;
    if (this.child !== child || current.name !== 'running') return;
    // Keep the time at which the silence began.
    const next = health.name === 'silent' && current.health.name === 'silent' ? current.health : health;
    this.become({ ...current, health: next });
  }

  private async stateAfter(
    code: number | null,
    signal: NodeJS.Signals | null,
    printed: string[],
  ): Promise<ServerState> {
    const { name } = this.current;
    if (name === 'stopping') return { name: 'stopped' };
    if (name === 'starting' && (code === EXIT_ADDRESS_TAKEN || code === EXIT_ALREADY_RUNNING)) {
      const port = this.options.port();
      const owner = await findPortOwner(port);
      const freePort = await findFreePort(port + 1);
      return { name: 'taken', port, owner: { ...owner, isOurs: code === EXIT_ALREADY_RUNNING }, freePort };
    }
    if (name === 'running' && code === 0) {
      this.options.log.add('info', 'The server was stopped by another program.');
      return { name: 'stopped' };
    }
    const how = signal === null ? `with exit code ${code}` : `by signal ${signal}`;
    return this.failed(
      name === 'starting' ? `The server could not start (it ended ${how}).` : `The server ended unexpectedly ${how}.`,
      printed,
    );
  }

  private failed(message: string, printed: string[]): ServerState {
    this.options.log.add('error', message);
    const lines =
      printed.length > 0 ? printed : this.options.log.last.slice(-LAST_LINES - 1, -1).map(({ text }) => text);
    return { name: 'failed', message, lastLines: lines };
  }
}

async function checkHealth(url: string, pid: number): Promise<Health> {
  const start = performance.now();
  try {
    await callServer(url, { method: 'GET', path: '/api/v2/health', milliseconds: HEALTH_TIMEOUT_MS });
    const milliseconds = Math.max(1, Math.round(performance.now() - start));
    const memoryBytes = readMemory(pid);
    return { name: 'answering', milliseconds, ...(memoryBytes === undefined ? {} : { memoryBytes }) };
  } catch {
    return { name: 'silent', since: Date.now() };
  }
}

/** Why the server does not run, in a sentence. */
function describeEnd(state: ServerState): string {
  if (state.name === 'failed') return [state.message, ...state.lastLines.slice(-1)].join(' ');
  if (state.name === 'taken') return `Port ${state.port} is in use by another program.`;
  return 'The server was stopped.';
}
