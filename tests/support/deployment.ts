/** Instances that share a session store, and the balancer in front of them: real programs on free ports of this computer. */
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Cli, REPOSITORY, type Running } from './cli.js';
import { RedisServer } from './redis.js';
import { freePort } from './supervisor.js';

export type BalancerName = 'haproxy' | 'nginx';
/** Of nginx, which cannot write to a pipe. */
const LOG = 'access.log';
/** The name that clients know. */
export const HOST = 'imaging.example';
export const TOKEN = 'a-token-of-this-deployment';

/** Returns the first of `programs` that is not installed. */
export function missingProgram(...programs: readonly string[]): string | undefined {
  const path = `${process.env['PATH']}:/usr/sbin`;
  return programs.find((program) => spawnSync('which', [program], { env: { PATH: path } }).status !== 0);
}

/** A program that listens at a port, and can be killed and started again. */
class Listener {
  #child: ChildProcess | undefined;
  #said = '';
  readonly port: number;
  readonly #command: readonly [program: string, ...args: string[]];

  constructor(port: number, command: readonly [program: string, ...args: string[]]) {
    this.port = port;
    this.#command = command;
  }

  /** Everything that the program has printed. */
  get said(): string {
    return this.#said;
  }

  async start(): Promise<void> {
    const [program, ...args] = this.#command;
    const env = { ...process.env, PATH: `${process.env['PATH']}:/usr/sbin` };
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], env });
    this.#child = child;
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (part: string) => {
        this.#said += part;
      });
    }
    for (let tries = 0; tries < 200; tries++) {
      if (child.exitCode !== null) break;
      if (await isListening(this.port)) return;
      await new Promise((next) => setTimeout(next, 50));
    }
    throw new Error(`${program} does not listen: ${this.#said}`);
  }

  async stop(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    const child = this.#child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((done) => child.once('close', done));
    child.kill(signal);
    await ended;
  }
}

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
      .once('connect', () => resolve(true))
      .once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}

/** One `acqstore serve` with a log of its own; the same port after each start. */
export class Instance {
  readonly #cli = new Cli();
  #running: Running | undefined;
  readonly port: number;
  /** Of probes and metrics. */
  readonly opsPort: number;
  readonly #args: readonly string[];

  constructor({ port, opsPort }: { port: number; opsPort: number }, args: readonly string[]) {
    this.port = port;
    this.opsPort = opsPort;
    this.#args = ['--ops-listen', `127.0.0.1:${opsPort}`, ...args];
  }

  async start(): Promise<void> {
    this.#running = this.#cli.start(['serve', '--port', String(this.port), ...this.#args]);
    await this.#running.says(/Ctrl-C/);
  }

  /** Planes that were sent, by where they came from. */
  async planes(): Promise<Record<string, number>> {
    const text = await (await fetch(`http://127.0.0.1:${this.opsPort}/metrics`)).text();
    const lines = [...text.matchAll(/^acqstore_planes_total\{from="(\w+)"\} (\d+)/gm)];
    return Object.fromEntries(lines.map(([, from, count]) => [from, Number(count)]));
  }

  /** The addresses of answered requests, with the first 8 digits of their sessions, and the status of each. */
  get answered(): { method: string; url: string; status: number }[] {
    const lines = readFileSync(join(this.#cli.stateDir, 'acqstore.log'), 'utf8').trim().split('\n');
    return lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'answered');
  }

  async stop(signal: NodeJS.Signals): Promise<void> {
    this.#running?.child.kill(signal);
    await this.#running?.ended;
  }

  close(): Promise<void> {
    return this.#cli.close();
  }
}

export interface DeploymentOptions {
  balancer: BalancerName;
  /** The only folder whose files may be opened. */
  root: string;
  /** Changes the configuration of the balancer. */
  edit?: (configuration: string) => string;
  /** Further settings of the instances. */
  args?: readonly string[];
}

export class Deployment {
  readonly store: RedisServer;
  readonly instances: readonly [Instance, Instance];
  readonly #folder: string;
  readonly #balancer: Listener;

  private constructor(
    folder: string,
    store: RedisServer,
    instances: readonly [Instance, Instance],
    balancer: Listener,
  ) {
    this.#folder = folder;
    this.store = store;
    this.instances = instances;
    this.#balancer = balancer;
  }

  static async start({ balancer, root, args = [], edit = (text) => text }: DeploymentOptions): Promise<Deployment> {
    const folder = mkdtempSync(join(tmpdir(), 'acq-deployment-'));
    const store = await RedisServer.start('--appendonly', 'yes', '--appendfsync', 'everysec');
    const shared = ['--session-store', store.url, '--token', TOKEN, '--root', root];
    const common = ['--allow-host', HOST, '--workers', '1', ...shared, ...args];
    const create = async () => new Instance({ port: await freePort(), opsPort: await freePort() }, common);
    const instances = [await create(), await create()] as const;
    const port = await freePort();
    const file = join(folder, `${balancer}.conf`);
    writeFileSync(file, edit(localConfiguration({ balancer, port, folder, instances })));
    const front = new Listener(port, balancerCommand(balancer, file, folder));
    const deployment = new Deployment(folder, store, instances, front);
    try {
      await Promise.all(instances.map((instance) => instance.start()));
      await front.start();
      return deployment;
    } catch (error) {
      await deployment.close();
      throw error;
    }
  }

  /** The log of the balancer. */
  get log(): string {
    const file = join(this.#folder, LOG);
    return existsSync(file) ? readFileSync(file, 'utf8') : this.#balancer.said;
  }

  get url(): string {
    return `https://127.0.0.1:${this.#balancer.port}`;
  }

  async close(): Promise<void> {
    await this.#balancer.stop('SIGTERM');
    await Promise.all(this.instances.map((instance) => instance.close()));
    await this.store.kill();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

export function readDeployFile(name: string): string {
  return readFileSync(join(REPOSITORY, 'deploy', name), 'utf8');
}

/** Writes the access list that is shipped, and the configuration of docs/scale-out.md that names it. @returns its path */
export function writeStoreConfiguration(folder: string, password: string): string {
  const guide = readFileSync(join(REPOSITORY, 'docs', 'scale-out.md'), 'utf8');
  const [, text = ''] = /```text\n(aclfile [\s\S]*?)```/.exec(guide) ?? [];
  const accessList = join(folder, 'acqstore.acl');
  const file = join(folder, 'store.conf');
  for (const [path, content, from, to] of [
    [accessList, readDeployFile('valkey-acl'), 'CHANGE-ME', password],
    [file, text, '/etc/valkey/acqstore.acl', accessList],
  ] as const) {
    if (!content.includes(from)) throw new Error(`${path}: ${from} is missing`);
    writeFileSync(path, content.replace(from, to));
  }
  return file;
}

interface Places {
  balancer: BalancerName;
  port: number;
  folder: string;
  instances: readonly [Instance, Instance];
}

/** Returns the configuration that is shipped, with local addresses and a certificate. */
function localConfiguration({ balancer, port, folder, instances: [one, two] }: Places): string {
  const shipped = readDeployFile(balancer === 'haproxy' ? 'haproxy.cfg' : 'nginx.conf')
    .replaceAll('192.0.2.11:8767', `127.0.0.1:${one.port}`)
    .replaceAll('192.0.2.12:8767', `127.0.0.1:${two.port}`);
  const { certificate, key, both } = writeCertificate(folder);
  const asRoot = process.getuid?.() === 0 ? 'user root;' : '';
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  const replaced: [string, string][] =
    balancer === 'haproxy'
      ? [
          ['bind :443', `bind 127.0.0.1:${port}`],
          ['/etc/haproxy/acqstore.pem', both],
          ['check port 9767 ', 'check '],
          [`server one 127.0.0.1:${one.port}`, `server one 127.0.0.1:${one.port} port ${one.opsPort}`],
          [`server two 127.0.0.1:${two.port}`, `server two 127.0.0.1:${two.port} port ${two.opsPort}`],
        ]
      : [
          ['listen 443', `listen 127.0.0.1:${port}`],
          ['/etc/nginx/acqstore.pem', certificate],
          ['/etc/nginx/acqstore.key', key],
          ['worker_processes auto;', `worker_processes 1;\npid nginx.pid;\ndaemon off;\n${asRoot}`],
          ['/var/log/nginx/error.log', 'stderr'],
          ['/var/log/nginx/acqstore.log', LOG],
          ['http {', `http {\n${temporary.map((name) => `${name}_temp_path ${name};`).join('\n')}`],
        ];
  return replaced.reduce((text, [from, to]) => {
    if (!text.includes(from)) throw new Error(`${balancer}: the configuration has no ${from}`);
    return text.replace(from, to);
  }, shipped);
}

function balancerCommand(balancer: BalancerName, file: string, folder: string): [string, ...string[]] {
  if (balancer === 'haproxy') return ['haproxy', '-db', '-f', file];
  return ['nginx', '-p', folder, '-c', file];
}

/** Writes a self-signed certificate and its key, and both in one file. */
export function writeCertificate(folder: string): { certificate: string; key: string; both: string } {
  const [certificate, key, both] = ['certificate.pem', 'key.pem', 'both.pem'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  const kind = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2'];
  const files = ['-keyout', key, '-out', certificate, '-subj', '/CN=imaging.example'];
  execFileSync('openssl', ['req', ...kind, ...files], { stdio: 'ignore' });
  writeFileSync(both, readFileSync(certificate, 'utf8') + readFileSync(key, 'utf8'));
  return { certificate, key, both };
}
