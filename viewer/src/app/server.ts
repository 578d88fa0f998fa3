/** The server that the page came from: whether it answers, what it is, what it reads. */
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

const TOKEN_KEY = 'acqstore-token';
/** Milliseconds between questions whether it is still there. */
const EVERY = 5_000;
const EVERY_WHILE_DOWN = 2_000;

export interface Facts {
  readonly index: Index;
  readonly capabilities: Capabilities;
  readonly examples: Examples['examples'];
}

export interface Connection {
  readonly state: 'asking' | 'up' | 'down';
  readonly message: string;
  readonly hint: string;
}

export interface Server {
  readonly client: AcqClient;
  readonly connection: Signal<Connection>;
  readonly facts: Signal<Facts | null>;
  readonly tokenWanted: Signal<boolean>;
  /** Asks for everything that the start page shows. */
  start(): Promise<void>;
  useToken(token: string): void;
  /** Asks at once whether the server answers. */
  check(): Promise<void>;
  /** What there is to say about a session, as the end of a sentence. */
  describeSession(id: string): Promise<string>;
  /** Something failed: find out whether the server is gone, or wants a token. */
  suspect(error: unknown): void;
  onBack: (() => void) | null;
}

const UP: Connection = { state: 'up', message: '', hint: '' };

/** `here`: address of this page, `…/demo/v2/`, also below the path of a proxy. */
export function createServer(here: string): Server {
  const client = createClient({ baseUrl: new URL('../../', here), token: readToken });
  let timer: ReturnType<typeof setTimeout> | undefined;
  let asking: Promise<void> | null = null;

  const server: Server = {
    client,
    connection: signal<Connection>({ state: 'asking', message: '', hint: '' }),
    facts: signal<Facts | null>(null),
    tokenWanted: signal(false),
    onBack: null,
    async start() {
      try {
        const [index, capabilities, { examples }] = await Promise.all([
          client.index(),
          client.capabilities(),
          client.examples(),
        ]);
        server.facts.value = { index, capabilities, examples };
        server.tokenWanted.value = false;
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
      server.tokenWanted.value = false;
    },
    check() {
      asking ??= ask().finally(() => {
        asking = null;
        schedule();
      });
      return asking;
    },
    async describeSession(id) {
      const token = readToken();
      const headers = token === undefined ? undefined : { authorization: `Bearer ${token}` };
      const url = `${client.baseUrl}/api/v2/sessions/${encodeURIComponent(id)}`;
      const { status } = await fetch(url, headers ? { headers } : {}).catch(() => ({ status: 0 }));
      if (status === 401) server.tokenWanted.value = true;
      if (status === 200) return 'exists';
      return status === 404 ? 'has ended, or was never here' : 'could not be looked up';
    },
    suspect(error) {
      if (hasCode(error, 'unauthorized')) server.tokenWanted.value = true;
      if (hasCode(error, 'unreachable') || hasCode(error, 'timeout')) void server.check();
    },
  };

  async function ask(): Promise<void> {
    const before = server.connection.value.state;
    try {
      await client.health();
      server.connection.value = UP;
      if (before === 'down') server.onBack?.();
    } catch (error) {
      if (isAbort(error)) return;
      const { message, hint } = error as { message: string; hint?: string };
      server.connection.value = { state: 'down', message, hint: hint ?? '' };
    }
  }

  function schedule(): void {
    clearTimeout(timer);
    const wait = server.connection.value.state === 'down' ? EVERY_WHILE_DOWN : EVERY;
    // A page that nobody sees asks nothing.
    timer = setTimeout(() => (document.visibilityState === 'visible' ? server.check() : schedule()), wait);
  }
  return server;
}

function readToken(): string | undefined {
  try {
    return sessionStorage.getItem(TOKEN_KEY) ?? undefined;
  } catch {
    return held;
  }
}

/** Where the browser keeps nothing, as long as the page stays. */
let held: string | undefined;

function writeToken(token: string): void {
  held = token;
  try {
    sessionStorage.setItem(TOKEN_KEY, token);
  } catch {
    // Held above.
  }
}
