/** The connection to the supervisor: one response of events that stays open, and requests. */
import { type Signal, signal } from '@preact/signals';
import type {
  LogLine,
  Opened,
  OutsideFolders,
  PageEvent,
  PageState,
  Refusal,
  SettingFaults,
} from '../../src/supervisor/protocol.ts';

/** Lines that the page keeps, as many as the supervisor. */
const MAX_LINES = 500;
const RETRY_MS = 1_000;

/** The supervisor refused a request. */
export class RequestError extends Error {
  readonly faults: SettingFaults;
  readonly outside: OutsideFolders | undefined;

  constructor({ message, faults = {}, outside }: Refusal) {
    super(message);
    this.faults = faults;
    this.outside = outside;
  }
}

/** What the application says by itself. */
export type AppMessage = Extract<PageEvent, { kind: 'notice' | 'shown' | 'not-shown' }>;

export interface Connection {
  /** Null until the supervisor has answered. */
  readonly state: Signal<PageState | null>;
  readonly lines: Signal<readonly LogLine[]>;
  /** False while the application does not answer: it has probably ended. */
  readonly isUp: Signal<boolean>;
  /** The newest message of the application itself. */
  readonly message: Signal<AppMessage | null>;
  /** The viewer that the page is asked to open. */
  readonly viewer: Signal<string>;
  /** Sends a request. @throws RequestError; an AbortError */
  post<T = object>(path: string, body?: object, abort?: AbortSignal): Promise<T>;
}

export type OpenAnswer = Opened;

/** Connects with the token in the address, which is then removed from it. */
export function connect(): Connection {
  const token = takeToken();
  const headers = { authorization: `Bearer ${token}` };
  const connection: Connection = {
    state: signal(null),
    lines: signal([]),
    isUp: signal(true),
    message: signal(null),
    viewer: signal(''),
    async post<T>(path: string, body: object = {}, abort?: AbortSignal): Promise<T> {
      const response = await fetch(`/api/${path}`, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify(body),
        ...(abort ? { signal: abort } : {}),
      });
      const json: unknown = await response.json();
      if (!response.ok) throw new RequestError(json as Refusal);
      return json as T;
    },
  };
  void listen(connection, headers);
  return connection;
}

/** Reads events, and connects again when the connection ends. */
async function listen(connection: Connection, headers: Record<string, string>): Promise<never> {
  for (;;) {
    try {
      const response = await fetch('/api/events', { headers });
      if (!response.ok || !response.body) throw new RequestError((await response.json()) as Refusal);
      connection.lines.value = [];
      await readEvents(response.body, (event) => take(connection, event));
    } catch (error) {
      if (error instanceof RequestError) connection.message.value = { kind: 'notice', message: error.message };
    }
    connection.isUp.value = false;
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }
}

async function readEvents(body: ReadableStream<Uint8Array>, take: (event: PageEvent) => void): Promise<void> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const lines = (rest + decoder.decode(value, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) if (line !== '') take(JSON.parse(line) as PageEvent);
  }
}

function take(connection: Connection, event: PageEvent): void {
  connection.isUp.value = true;
  if (event.kind === 'state') connection.state.value = event.state;
  else if (event.kind === 'log') connection.lines.value = [...connection.lines.value, ...event.lines].slice(-MAX_LINES);
  else if (event.kind === 'viewer') connection.viewer.value = event.url;
  else connection.message.value = event;
}

/** Takes the token out of the address, where it could be seen, and keeps it for a reload of this window. */
function takeToken(): string {
  const given = new URLSearchParams(location.hash.slice(1)).get('token');
  if (given !== null) {
    sessionStorage.setItem('token', given);
    history.replaceState(null, '', location.pathname);
  }
  return given ?? sessionStorage.getItem('token') ?? '';
}
