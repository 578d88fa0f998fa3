/** The server that the page was loaded from: whether it responds, what it is and what it can read. */

import {
  type Capabilities,
  createClient,
  type Examples,
  hasCode,
  type Index,
  type SignedIn,
} from '@acquisition-store/client';
import { type Signal, signal } from '@preact/signals';
import type { Engine } from '../model/client.ts';
import { isAbort } from './notices.ts';
import { readToken, writeToken } from './token.ts';

/** Milliseconds between two checks that the server responds. */
const CHECK_INTERVAL = 5_000;
const CHECK_INTERVAL_DOWN = 2_000;

export interface ServerInfo {
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
  readonly client: Engine;
  /** False for a page that stands alone: it opens only files that are given to it. */
  readonly isThere: boolean;
  readonly connection: Signal<Connection>;
  /** Null until the server has answered. */
  readonly info: Signal<ServerInfo | null>;
  /** The server, or the login in front of it, refused a request. */
  readonly tokenRequired: Signal<boolean>;
  /** Who is signed in, and how to sign in. Null until that is known. */
  readonly signedIn: Signal<SignedIn | null>;
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

const LOGIN_ENDED: SignedIn = { ok: true, apiVersion: 'v2', signIn: ['login'], user: null, signOutUrl: null };
const UP: Connection = { state: 'up', message: '', hint: '' };

/** `pageUrl` is the address of this page, `…/demo/v2/`, also below the path of a proxy. */
export function createServer(pageUrl: string): Server {
  const baseUrl = new URL('../../', pageUrl);
  const client = createClient({ baseUrl, token: readToken });
  const anonymous = createClient({ baseUrl });
  let timer: ReturnType<typeof setTimeout> | undefined;
  let asking: Promise<void> | null = null;

  const server: Server = {
    client,
    isThere: true,
    connection: signal<Connection>({ state: 'asking', message: '', hint: '' }),
    info: signal<ServerInfo | null>(null),
    tokenRequired: signal(false),
    signedIn: signal<SignedIn | null>(null),
    onBack: null,
    async start() {
      try {
        const [info, signedIn] = await Promise.all([readInfo(client), client.user()]);
        server.info.value = info;
        server.signedIn.value = signedIn;
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
      if (hasCode(error, 'unauthorized')) {
        server.tokenRequired.value = true;
        void learnToSignIn();
      }
      if (hasCode(error, 'unreachable') || hasCode(error, 'timeout')) void server.check();
    },
  };

  /** Asks without the token, which may be the one that was refused. */
  async function learnToSignIn(): Promise<void> {
    try {
      server.signedIn.value = await anonymous.user();
    } catch (error) {
      // The program in front of the server refuses everything without its login.
      if (hasCode(error, 'unauthorized')) server.signedIn.value = LOGIN_ENDED;
    }
  }

  async function ask(): Promise<void> {
    const before = server.connection.value.state;
    const next = await readConnection(client).catch((error: unknown) => {
      server.suspect(error);
      return UP;
    });
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

/** Returns null when the request was aborted. @throws when the server, or the login in front of it, refuses the request */
async function readConnection(client: Engine): Promise<Connection | null> {
  try {
    await client.health();
    return UP;
  } catch (error) {
    if (isAbort(error)) return null;
    if (hasCode(error, 'unauthorized')) throw error;
    const { message, hint } = error as { message: string; hint?: string };
    return { state: 'down', message, hint: hint ?? '' };
  }
}

async function readInfo(client: Engine): Promise<ServerInfo> {
  const [index, capabilities, { examples }] = await Promise.all([
    client.index(),
    client.capabilities(),
    client.examples(),
  ]);
  return { index, capabilities, examples };
}
