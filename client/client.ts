import type { Capabilities, Examples, Health, Index } from '#contract/common.js';
import type { OpenRequest, OpenResponse, PickAndOpenRequest } from '#contract/open.js';
import type { SessionStatus } from '#contract/session.js';
import { type CallOptions, choiceOf, OpenedAcquisition } from './acquisition.js';
import type { ConnectionReport } from './connection.js';
import { AcqClientError, hasCode } from './errors.js';
import { Transport } from './transport.js';

export interface ClientOptions {
  /** Address of the server, `http://127.0.0.1:8767` when omitted; behind a proxy with the path of the proxy. */
  baseUrl?: string | URL;
  /** Asked for before every request when it is a function. */
  token?: string | (() => string | undefined);
  /** Instead of the `fetch` of the platform. */
  fetch?: typeof fetch;
  /** Seconds for answers that take no time; opening and reading have no limit but the server's. Default 10. */
  timeoutSeconds?: number;
}

export interface AcqClient {
  /** Address of the server, without a slash at its end. */
  readonly baseUrl: string;
  health(options?: CallOptions): Promise<Health>;
  index(options?: CallOptions): Promise<Index>;
  capabilities(options?: CallOptions): Promise<Capabilities>;
  /** Sample acquisitions that come with the server. */
  examples(options?: CallOptions): Promise<Examples>;
  /** Returns the state of any session by its id, also one that another client opened. */
  sessionStatus(sessionId: string, options?: CallOptions): Promise<SessionStatus>;
  open(request: OpenRequest, options?: CallOptions): Promise<OpenedAcquisition>;
  /** Opens what the user picks in the file dialog; null when nothing was picked. Abort closes the dialog. */
  pick(request?: PickAndOpenRequest, options?: CallOptions): Promise<OpenedAcquisition | null>;
  /** Whether the server can be used from here, and if not, why and what to do. Throws nothing but an abort. */
  explainConnection(options?: CallOptions): Promise<ConnectionReport>;
  /** What is open now. */
  readonly acquisitions: ReadonlySet<OpenedAcquisition>;
  closeAll(options?: { keepalive?: boolean }): Promise<void>;
  /** Closes everything when the page goes away for good. Returns what undoes it; does nothing outside of pages. */
  closeOnPageHide(): () => void;
}

/** A client of one server. Makes no request by itself. */
export function createClient(options: ClientOptions = {}): AcqClient {
  const base = toBase(options.baseUrl ?? 'http://127.0.0.1:8767');
  const { token } = options;
  const transport = new Transport({
    base,
    token: typeof token === 'function' ? token : () => token,
    fetch: options.fetch ?? ((...call) => globalThis.fetch(...call)),
    quickTimeoutMs: (options.timeoutSeconds ?? 10) * 1000,
  });
  const acquisitions = new Set<OpenedAcquisition>();
  const ask = <T>(path: string, { signal }: CallOptions = {}) => transport.json<T>(path, { signal, quick: true });
  const opened = (info: OpenResponse, request: OpenRequest, picked: boolean) =>
    new OpenedAcquisition({ transport, info, request, picked, register: acquisitions });

  const client: AcqClient = {
    baseUrl: base,
    acquisitions,
    health: async (call) => checkVersion(await ask<Health>('/api/v2/health', call), base),
    index: (call) => ask('/api/v2', call),
    capabilities: (call) => ask('/api/v2/capabilities', call),
    examples: (call) => ask('/api/v2/examples', call),
    sessionStatus: (sessionId, call) => ask(`/api/v2/sessions/${encodeURIComponent(sessionId)}`, call),
    async open(request, { signal } = {}) {
      const info = await transport.json<OpenResponse>('/api/v2/open', { method: 'POST', body: request, signal });
      return opened(info, { path: request.path, ...choiceOf(request) }, false);
    },
    async pick(request = {}, { signal } = {}) {
      const call = { method: 'POST', body: request, signal } as const;
      const info = await transport.json<OpenResponse>('/api/v2/pick-and-open', call).catch(nullWhenCancelled);
      return info && opened(info, { path: info.source.path, ...choiceOf(request) }, true);
    },
    explainConnection: ({ signal } = {}) => transport.check(signal),
    async closeAll(how) {
      await Promise.all([...acquisitions].map((one) => one.close(how)));
    },
    closeOnPageHide: () => onPageHide(() => void client.closeAll({ keepalive: true })),
  };
  return client;
}

function toBase(given: string | URL): string {
  const url = new URL(given);
  return url.origin + url.pathname.replace(/\/+$/, '');
}

function checkVersion(health: Health, base: string): Health {
  if (health.apiVersion === 'v2') return health;
  throw new AcqClientError('not_this_server', `The server at ${base} speaks version ${health.apiVersion}, not v2.`);
}

function nullWhenCancelled(error: unknown): null {
  if (hasCode(error, 'cancelled')) return null;
  throw error;
}

interface PageEvents {
  addEventListener?(type: string, listener: (event: { persisted?: boolean }) => void): void;
  removeEventListener?(type: string, listener: (event: { persisted?: boolean }) => void): void;
}

function onPageHide(leave: () => void): () => void {
  const page = globalThis as PageEvents;
  // A page that the browser keeps may be shown again, with what is open in it.
  const listener = ({ persisted = false }) => {
    if (!persisted) leave();
  };
  page.addEventListener?.('pagehide', listener);
  return () => page.removeEventListener?.('pagehide', listener);
}
