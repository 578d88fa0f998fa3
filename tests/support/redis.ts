import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { freePort } from './supervisor.js';
import { tempFolder } from './temp.js';

/** Set when `redis-server` (or `valkey-server`) is installed. */
export const REDIS_PROGRAM = ['valkey-server', 'redis-server'].find(
  (name) => spawnSync(name, ['--version']).status === 0,
);
if (REDIS_PROGRAM === undefined) console.warn('SKIPPED: tests of the session store need redis-server or valkey-server');

/** A session store of its own, on a free port of this computer. */
export class RedisServer {
  readonly folder = tempFolder();
  readonly port: number;
  private readonly args: readonly string[];
  private child: ChildProcess | undefined;

  private constructor(port: number, args: readonly string[]) {
    this.port = port;
    this.args = args;
  }

  static async start(...args: string[]): Promise<RedisServer> {
    const server = new RedisServer(await freePort(), args);
    await server.start();
    return server;
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  async start(): Promise<void> {
    const port = this.args.includes('--tls-port') ? [] : ['--port', String(this.port)];
    const tls = this.args.map((arg) => (arg === 'PORT' ? String(this.port) : arg));
    const args = [...port, '--bind', '127.0.0.1', '--dir', this.folder, '--save', '', ...tls];
    this.child = spawn(REDIS_PROGRAM!, args, { stdio: 'ignore' });
    for (let i = 0; !(await accepts(this.port)); i++) {
      if (i > 200) throw new Error(`${REDIS_PROGRAM} does not start`);
      await setTimeout(25);
    }
  }

  /** Stops it in the middle of what it does, as a hung machine does; `SIGCONT` lets it go on. */
  signal(name: 'SIGSTOP' | 'SIGCONT'): void {
    this.child?.kill(name);
  }

  async kill(): Promise<void> {
    const { child } = this;
    this.child = undefined;
    if (!child || child.exitCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  }

  /** Runs a command as an operator would. */
  command(...args: string[]): string {
    return execFileSync('redis-cli', ['-p', String(this.port), ...args], { encoding: 'utf8' }).trim();
  }
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', () => resolve(false));
  });
}

/** Writes a certificate authority and a certificate of 127.0.0.1 that it has signed; the name of each file. */
export function makeCertificates(folder: string): { ca: string; cert: string; key: string } {
  const file = (name: string) => join(folder, name);
  const openssl = (...args: string[]) => execFileSync('openssl', args, { stdio: 'ignore', cwd: folder });
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  openssl(
    'req',
    '-x509',
    ...newKey,
    '-keyout',
    'ca.key',
    '-out',
    'ca.pem',
    '-days',
    '2',
    '-subj',
    '/CN=test authority',
  );
  openssl('req', ...newKey, '-keyout', 'key.pem', '-out', 'request.pem', '-subj', '/CN=store');
  writeFileSync(file('names'), 'subjectAltName=IP:127.0.0.1,DNS:localhost\n');
  const signed = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-days', '2', '-extfile', 'names'];
  openssl('x509', '-req', '-in', 'request.pem', '-out', 'cert.pem', ...signed);
  return { ca: file('ca.pem'), cert: file('cert.pem'), key: file('key.pem') };
}
