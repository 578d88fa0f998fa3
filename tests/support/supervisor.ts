/** The supervisor of the desktop application, as its control page uses it. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Supervisor, SupervisorOptions } from '../../packages/desktop/src/interfaces.js';
import { startSupervisor } from '../../packages/desktop/src/supervisor/index.js';
import type { LogLine, PageEvent, PageState, ServerState } from '../../packages/desktop/src/supervisor/protocol.js';
import { COLD, MAIN } from './cli.js';

/** No display: the dialog of the system cannot open. */
const NO_DISPLAY = { DISPLAY: '', WAYLAND_DISPLAY: '', DBUS_SESSION_BUS_ADDRESS: '' };

/** A port that was free a moment ago. */
export function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}

export interface Reply {
  status: number;
  headers: Record<string, unknown>;
  body: string;
}

/** Sends a request with any headers, also with those that `fetch` sets itself. */
export function send(url: string, method: string, headers: Record<string, string>, body?: string): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const call = request(url, { method, headers, agent: false }, (response) => {
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part));
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          body: Buffer.concat(parts).toString('utf8'),
        }),
      );
    });
    call.on('error', reject);
    call.end(body);
  });
}

/** A supervisor with folders of its own, and a page that listens to it. */
export class Desk {
  readonly folder = mkdtempSync(join(tmpdir(), 'acq-desk-'));
  readonly settingsFile = join(this.folder, 'settings.json');
  readonly logFile = join(this.folder, 'acqstore.log');
  readonly lines: LogLine[] = [];
  readonly events: PageEvent[] = [];
  state!: PageState;
  supervisor!: Supervisor;
  base = '';
  token = '';
  private readonly leave = new AbortController();

  /** Starts at a free port, unless other settings are given. */
  async start(options: Partial<SupervisorOptions> = {}, settings?: object): Promise<void> {
    writeFileSync(this.settingsFile, JSON.stringify(settings ?? { port: await freePort() }));
    this.supervisor = await startSupervisor({
      serverProgram: { command: process.execPath, args: [MAIN, 'serve'], env: { ...NO_DISPLAY, ...COLD } },
      stateDir: this.folder,
      settingsFile: this.settingsFile,
      logFile: this.logFile,
      version: '1.2.3',
      assets: () => undefined,
      ...options,
    });
    const url = new URL(this.supervisor.url);
    this.base = url.origin;
    this.token = new URLSearchParams(url.hash.slice(1)).get('token') ?? '';
    await this.listen();
  }

  /** Resolves when the server is in a state. */
  async until<N extends ServerState['name']>(
    name: N,
    check: (state: Extract<ServerState, { name: N }>) => boolean = () => true,
  ): Promise<Extract<ServerState, { name: N }>> {
    for (const end = Date.now() + 40_000; Date.now() < end; ) {
      const { server } = this.state ?? {};
      if (server?.name === name && check(server as Extract<ServerState, { name: N }>)) {
        return server as Extract<ServerState, { name: N }>;
      }
      await new Promise((next) => setTimeout(next, 20));
    }
    throw new Error(`never ${name}: ${JSON.stringify(this.state?.server)}`);
  }

  async post(path: string, body: object = {}): Promise<{ status: number; json: Record<string, unknown> }> {
    const headers = { authorization: `Bearer ${this.token}`, 'content-type': 'application/json' };
    const reply = await send(`${this.base}/api/${path}`, 'POST', headers, JSON.stringify(body));
    return { status: reply.status, json: JSON.parse(reply.body) as Record<string, unknown> };
  }

  async close(): Promise<void> {
    this.leave.abort();
    await this.supervisor?.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }

  private async listen(): Promise<void> {
    const headers = { authorization: `Bearer ${this.token}` };
    const response = await fetch(`${this.base}/api/events`, { headers, signal: this.leave.signal });
    const read = async () => {
      let rest = '';
      for await (const part of response.body!.pipeThrough(new TextDecoderStream())) {
        const lines = (rest + part).split('\n');
        rest = lines.pop() ?? '';
        for (const line of lines) if (line !== '') this.take(JSON.parse(line) as PageEvent);
      }
    };
    read().catch(() => {});
  }

  private take(event: PageEvent): void {
    this.events.push(event);
    if (event.kind === 'state') this.state = event.state;
    if (event.kind === 'log') this.lines.push(...event.lines);
  }
}

/** Returns the command lines of the children of this process, where the system has them as files. */
export function childCommands(): string[] {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc').flatMap((pid) => {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
      const [, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      return parent === String(process.pid) ? [readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')] : [];
    } catch {
      // It has ended, or is something else than a process.
      return [];
    }
  });
}
