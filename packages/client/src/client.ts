import { type CallOptions, OpenedAcquisition, type ReadOptions } from './acquisition.js';
import { type OpenChoice, toChoice } from './choice.js';
import type { ConnectionReport } from './connection.js';
import type { Capabilities, Examples, Health, Index, SignedIn } from './contract/common.js';
import type { Folder, FolderEntry, LocateRequest, LocateResult } from './contract/files.js';
import type { OpenRequest, OpenResponse, PickAndOpenRequest } from './contract/open.js';
import type { DescribedRecording } from './contract/recordings.js';
import type { SessionStatus } from './contract/session.js';
import { AcqClientError, hasCode } from './errors.js';
import { Transport } from './transport.js';
import { Uploader, type UploadSource } from './upload.js';

export interface ClientOptions {
  /** Address of the server, with the path of a proxy if there is one. Default: `http://127.0.0.1:8767`. */
  baseUrl?: string | URL;
  /** Token of the server. A function is called before every request. */
  token?: string | (() => string | undefined);
  /** Replaces the `fetch` of the platform. */
  fetch?: typeof fetch;
  /** Max seconds for requests that the server answers immediately. Opening and reading have no limit. Default: 10. */
  timeoutSeconds?: number;
}

export interface FolderOptions extends CallOptions {
  /** Lists each recording once, without the files that belong to another one, at most 1,000 entries at a time. */
  recordings?: boolean;
  /** With `recordings`: tells what is in each recording, and joins parts by their contents; at most 100 entries at a time. */
  details?: boolean;
  /** With `details`: adds small pictures. */
  thumbnails?: boolean;
  /** `next` of the answer before, with `recordings`. */
  cursor?: string;
}

export interface RecordingsOptions extends CallOptions, Pick<FolderOptions, 'details' | 'thumbnails'> {
  /** Called when the folder has more names than the server reads. */
  onTruncated?: () => void;
}

export interface DescribeOptions extends CallOptions {
  /** Adds a small picture. */
  thumbnail?: boolean;
}

export interface AcqClient {
  /** Address of the server, without a trailing slash. */
  readonly baseUrl: string;
  health(options?: CallOptions): Promise<Health>;
  index(options?: CallOptions): Promise<Index>;
  capabilities(options?: CallOptions): Promise<Capabilities>;
  /** Who is signed in, and how to sign in. */
  user(options?: CallOptions): Promise<SignedIn>;
  /** Sample acquisitions that come with the server. */
  examples(options?: CallOptions): Promise<Examples>;
  /** Lists a folder on the server's computer, or the places to start from. */
  folder(path?: string, options?: FolderOptions): Promise<Folder>;
  /**
   * Yields the recordings and folders in a folder on the server's computer, in natural order: each recording once, without
   * the files that belong to another one. Asks for 1,000 at a time, when they are needed; with `details`, for as many as can be
   * told soon.
   */
  recordings(path: string, options?: RecordingsOptions): AsyncGenerator<FolderEntry, void, undefined>;
  /** Returns what is in one recording, and which files belong to it, without opening it. */
  recording(path: string, options?: DescribeOptions): Promise<DescribedRecording>;
  /** Returns where a file of this name, size and time of change lies on the server's computer, if that is known. */
  locate(file: LocateRequest, options?: CallOptions): Promise<string[]>;
  /** Returns the state of any session by its id, also one that another client opened. */
  sessionStatus(sessionId: string, options?: CallOptions): Promise<SessionStatus>;
  /** Returns the open response of any session by its id. */
  sessionInfo(sessionId: string, options?: CallOptions): Promise<OpenResponse>;
  open(request: OpenRequest, options?: CallOptions): Promise<OpenedAcquisition>;
  /** Opens what the user picks in the file dialog. Returns null when the user cancels. An abort closes the dialog. */
  pick(request?: PickAndOpenRequest, options?: CallOptions): Promise<OpenedAcquisition | null>;
  /**
   * Sends files to the server and opens them there: for files that it cannot read by path. As long as this program has the
   * files, they are sent again when the server does not have them any more.
   */
  upload(source: UploadSource, choice?: OpenChoice, options?: ReadOptions): Promise<OpenedAcquisition>;
  /** Checks whether the server can be used, and if not, explains why and what to do. Throws only when aborted. */
  explainConnection(options?: CallOptions): Promise<ConnectionReport>;
  /** The open acquisitions. */
  readonly acquisitions: ReadonlySet<OpenedAcquisition>;
  closeAll(options?: { keepalive?: boolean }): Promise<void>;
  /**
   * Closes all acquisitions when the page is closed. Returns a function that undoes this. Does nothing outside of
   * pages.
   */
  closeOnPageHide(): () => void;
}

/** Creates a client of one server. Sends no requests until a method is called. */
export function createClient(options: ClientOptions = {}): AcqClient {
  const base = toBase(options.baseUrl ?? 'http://127.0.0.1:8767');
  const { token } = options;
  const transport = new Transport({
    base,
    token: typeof token === 'function' ? token : () => token,
    fetch: options.fetch ?? ((...call) => globalThis.fetch(...call)),
    isOwnFetch: options.fetch === undefined,
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
    user: (call) => ask('/api/v2/user', call),
    examples: (call) => ask('/api/v2/examples', call),
    folder: (path, { signal, ...choice } = {}) =>
      transport.json<Folder>(`/api/v2/folders${queryOf({ path, ...choice })}`, { signal }),
    async *recordings(path, { onTruncated, ...choice } = {}) {
      let cursor: string | undefined;
      do {
        const from = cursor === undefined ? {} : { cursor };
        const page: Folder = await client.folder(path, { ...choice, recordings: true, ...from });
        yield* page.entries;
        cursor = page.next;
        if (cursor === undefined && page.truncated) onTruncated?.();
      } while (cursor !== undefined);
    },
    recording: (path, { signal, thumbnail } = {}) =>
      transport.json<DescribedRecording>(`/api/v2/recordings${queryOf({ path, thumbnail })}`, { signal }),
    async locate(file, { signal } = {}) {
      const call = { method: 'POST', body: file, signal } as const;
      return (await transport.json<LocateResult>('/api/v2/locate', call)).paths;
    },
    sessionStatus: (sessionId, call) => ask(`/api/v2/sessions/${encodeURIComponent(sessionId)}`, call),
    sessionInfo: (sessionId, call) => ask(`/api/v2/sessions/${encodeURIComponent(sessionId)}/acquisition`, call),
    async open(request, { signal } = {}) {
      const info = await transport.json<OpenResponse>('/api/v2/open', { method: 'POST', body: request, signal });
      return opened(info, { path: request.path, ...toChoice(request) }, false);
    },
    async pick(request = {}, { signal } = {}) {
      const call = { method: 'POST', body: request, signal } as const;
      const info = await transport.json<OpenResponse>('/api/v2/pick-and-open', call).catch(nullWhenCancelled);
      return info && opened(info, { path: info.source.path, ...toChoice(request) }, true);
    },
    async upload(source, choice = {}, options = {}) {
      const uploader = new Uploader(transport, source);
      const info = await uploader.open(choice, options);
      const request = { path: info.source.path, ...choice };
      return new OpenedAcquisition({ transport, info, request, picked: false, register: acquisitions, uploader });
    },
    explainConnection: ({ signal } = {}) => transport.check(signal),
    async closeAll(closing) {
      await Promise.all([...acquisitions].map((acquisition) => acquisition.close(closing)));
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
  throw new AcqClientError(
    'not_this_server',
    `The server at ${base} has API version ${health.apiVersion}; this client needs v2.`,
  );
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
  // A page in the back/forward cache may be shown again with its acquisitions.
  const listener = ({ persisted = false }) => {
    if (!persisted) leave();
  };
  page.addEventListener?.('pagehide', listener);
  return () => page.removeEventListener?.('pagehide', listener);
}

/** Returns a query with the values that are given, or nothing. */
function queryOf(values: Record<string, string | boolean | undefined>): string {
  const given = Object.entries(values).filter(([, value]) => value !== undefined);
  return given.length === 0
    ? ''
    : `?${given.map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`).join('&')}`;
}
