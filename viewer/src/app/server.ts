/** The server that the page was loaded from: whether it responds, what it is and what it can read. */
import { type Signal, signal } from '@preact/signals';
import {
  type AcqClient,
  type Capabilities,
  createClient,
  type Examples,
  hasCode,
  type Index,
} from '../../../client/index.ts';
import { isAbort } from './notices.ts';
import { readToken, writeToken } from './token.ts';

/** Milliseconds between two checks that the server responds. */
const CHECK_INTERVAL = 5_000;
const CHECK_INTERVAL_DOWN = 2_000;

interface ServerInfo {
  readonly index: Index;
  readonly capabilities: Capabilities;
  readonly examples: Examples['examples'];
}

interface Connection {
  readonly state: 'asking' | 'up' | 'down';
  readonly message: string;
  readonly hint: string;
}

export interface Server {
  readonly client: AcqClient;
  readonly connection: Signal<Connection>;
  /** Null until the server has answered. */
  readonly info: Signal<ServerInfo | null>;
  readonly tokenRequired: Signal<boolean>;
  /** Requests everything that the start page shows. */
  start(): Promise<void>;
  useToken(token: string): void;
  /** Checks now whether the server responds. */
  check(): Promise<void>;
  /** Finds out from a failed request whether the server is down or requires a token. */
  suspect(error: unknown): void;
  /** Called when the server responds again. */
  onBack: (() => void) | null;
}

const UP: Connection = { state: 'up', message: '', hint: '' };

/** `pageUrl` is the address of this page, `…/demo/v2/`, also below the path of a proxy. */
export function createServer(pageUrl: string): Server {
  const client = createClient({ baseUrl: new URL('../../', pageUrl), token: readToken });
  let timer: ReturnType<typeof setTimeout> | undefined;
  let asking: Promise<void> | null = null;

  const server: Server = {
    client,
    connection: signal<Connection>({ state: 'asking', message: '', hint: '' }),
    info: signal<ServerInfo | null>(null),
    tokenRequired: signal(false),
    onBack: null,
    async start() {
      try {
        server.info.value = await readInfo(client);
        server.tokenRequired.value = false;
        server.connection.value = UP;
      } catch (error) {
        server.suspect(error);
        if (!hasCode(error, 'unreachable') && !hasCode(error, 'unauthorized')) throw error;
      } finally {
        schedule();
      }
    },
    useToken(token) {
      writeToken(token);
      server.tokenRequired.value = false;
    },
    check() {
      asking ??= ask().finally(() => {
        asking = null;
        schedule();
      });
      return asking;
    },
    suspect(error) {
      if (hasCode(error, 'unauthorized')) server.tokenRequired.value = true;
      if (hasCode(error, 'unreachable') || hasCode(error, 'timeout')) void server.check();
    },
  };

  async function ask(): Promise<void> {
    const before = server.connection.value.state;
    const next = await readConnection(client);
    if (next === null) return;
    server.connection.value = next;
    if (next.state === 'up' && before === 'down') server.onBack?.();
  }

  function schedule(): void {
    clearTimeout(timer);
    const wait = server.connection.value.state === 'down' ? CHECK_INTERVAL_DOWN : CHECK_INTERVAL;
    // A hidden page sends no requests.
    timer = setTimeout(() => (document.visibilityState === 'visible' ? server.check() : schedule()), wait);
  }
  return server;
}

/** Returns null when the request was aborted. */
async function readConnection(client: AcqClient): Promise<Connection | null> {
  try {
    await client.health();
    return UP;
  } catch (error) {
    if (isAbort(error)) return null;
    const { message, hint } = error as { message: string; hint?: string };
    return { state: 'down', message, hint: hint ?? '' };
  }
}

async function readInfo(client: AcqClient): Promise<ServerInfo> {
  const [index, capabilities, { examples }] = await Promise.all([
    client.index(),
    client.capabilities(),
    client.examples(),
  ]);
  return { index, capabilities, examples };
}
