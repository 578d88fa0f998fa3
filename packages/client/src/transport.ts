/** Sends requests and explains those that fail. */

import { type ConnectionCause, type ConnectionReport, explainSilence, report } from './connection.js';
import type { ErrorEnvelope } from './contract/error.js';
import { AcqClientError, type ClientErrorCode, hasCode } from './errors.js';
import { putWithProgress, reportsProgress } from './send-file.js';
import { readSurroundings } from './surroundings.js';

export interface Call {
  method?: 'GET' | 'POST' | 'DELETE';
  /** Body, sent as JSON. */
  body?: object;
  /** Byte range, both ends included. */
  range?: readonly [first: number, last: number];
  signal?: AbortSignal | undefined;
  /** True when the request may outlive the page. */
  keepalive?: boolean;
  /** True when the server responds immediately; a late response is then an error. */
  quick?: boolean;
}

interface FileCall {
  signal?: AbortSignal | undefined;
  /** Called with the bytes sent so far, where the platform tells. */
  onSent: (bytes: number) => void;
}

interface TransportOptions {
  /** Without a trailing slash. */
  base: string;
  token: () => string | undefined;
  fetch: typeof fetch;
  /** True when `fetch` is that of the platform. */
  isOwnFetch: boolean;
  quickTimeoutMs: number;
}

const HEALTH = '/api/v2/health';

export class Transport {
  readonly options: TransportOptions;

  constructor(options: TransportOptions) {
    this.options = options;
  }

  /** Returns a successful response whose body has not been read. Requests that are safe to repeat are tried twice. */
  async send(path: string, call: Call = {}): Promise<Response> {
    try {
      return await this.sendOnce(path, call);
    } catch (error) {
      // The server closes idle connections; reusing one at that moment fails.
      if (!hasCode(error, 'interrupted') || call.method === 'POST') throw error;
      return this.sendOnce(path, call);
    }
  }

  private async sendOnce(path: string, call: Call): Promise<Response> {
    const { base, quickTimeoutMs } = this.options;
    const { method = 'GET', signal, keepalive = false, quick = false } = call;
    const deadline = quick ? AbortSignal.timeout(quickTimeoutMs) : undefined;
    const init: RequestInit = { method, headers: this.headers(call), keepalive };
    if (call.body !== undefined) init.body = JSON.stringify(call.body);
    const signals = [signal, deadline].filter((item) => item !== undefined);
    if (signals.length > 0) init.signal = signals.length === 1 ? signals[0]! : AbortSignal.any(signals);
    try {
      const response = await this.options.fetch(base + path, init);
      if (response.ok) return response;
      throw await readError(response, base);
    } catch (error) {
      throw await this.failure(error, call, deadline);
    }
  }

  /** Returns the JSON body of a successful response. */
  async json<T>(path: string, call: Call = {}): Promise<T> {
    const { base } = this.options;
    const response = await this.send(path, call);
    const answer = await readJson(response).catch((error: unknown) => this.fail(error, call));
    if (isObject(answer) && answer['ok'] === true) return answer as T;
    throw toError(answer, response, base);
  }

  /** Sends a file, and returns the JSON body of the answer. */
  async putFile<T>(path: string, file: Blob, { signal, onSent }: FileCall): Promise<T> {
    const { base, fetch, isOwnFetch } = this.options;
    const url = base + path;
    const headers = { ...this.headers({}), 'Content-Type': 'application/octet-stream' };
    try {
      const response =
        isOwnFetch && reportsProgress()
          ? await putWithProgress({ url, headers, file, signal, onSent })
          : await fetch(url, { method: 'PUT', headers, body: file, ...(signal ? { signal } : {}) });
      if (!response.ok) throw await readError(response, base);
      return (await readJson(response)) as T;
    } catch (error) {
      throw await this.failure(error, { signal });
    }
  }

  /** Ends a session or an upload if possible. Never fails. */
  async end(path: string, keepalive: boolean): Promise<void> {
    try {
      await this.json(path, { method: 'DELETE', keepalive, quick: true });
    } catch {
      // The session has ended or will expire.
    }
  }

  /** Converts an error of a request, or of reading its body, to the error that the caller gets. */
  async failure(error: unknown, { signal }: Call, deadline?: AbortSignal): Promise<unknown> {
    if (signal?.aborted) return signal.reason;
    if (error instanceof AcqClientError) return error;
    const { base, quickTimeoutMs } = this.options;
    if (deadline?.aborted || isTimeout(error)) {
      const message = `${base} did not respond within ${quickTimeoutMs / 1000} s.`;
      return new AcqClientError('timeout', message, { connection: 'timeout', cause: error });
    }
    const { cause: connection, message, hint } = await this.explain(error, signal);
    return new AcqClientError(CODES[connection] ?? 'interrupted', message, { connection, hint, cause: error });
  }

  /** Checks whether this program can use the server, and explains why not. */
  async check(signal?: AbortSignal): Promise<ConnectionReport> {
    const { base } = this.options;
    try {
      // This needs the token if the server requires one; health does not.
      await this.json('/api/v2/capabilities', { signal, quick: true });
      return report('connected', `Connected to ${base}.`);
    } catch (error) {
      if (!(error instanceof AcqClientError)) throw error;
      return report(error.connection ?? this.causeOf(error), error.message, error.hint);
    }
  }

  private causeOf(error: AcqClientError): ConnectionCause {
    if (hasCode(error, 'unauthorized')) return this.options.token() ? 'token_wrong' : 'token_missing';
    if (hasCode(error, 'host_not_allowed') || hasCode(error, 'origin_not_allowed')) return error.code;
    return hasCode(error, 'not_this_server') ? 'not_this_server' : 'interrupted';
  }

  private async explain(error: unknown, signal: AbortSignal | undefined): Promise<ConnectionReport> {
    const { base } = this.options;
    const surroundings = await readSurroundings();
    const healthy = await this.responds('cors', signal);
    const answersBlindly = !healthy && surroundings.origin !== undefined && (await this.responds('no-cors', signal));
    signal?.throwIfAborted();
    return explainSilence({ base, surroundings, error, healthy, answersBlindly });
  }

  private async responds(mode: RequestMode, signal: AbortSignal | undefined): Promise<boolean> {
    const deadline = AbortSignal.timeout(this.options.quickTimeoutMs);
    try {
      const within = signal ? AbortSignal.any([signal, deadline]) : deadline;
      await this.options.fetch(this.options.base + HEALTH, { mode, signal: within });
      return true;
    } catch {
      return false;
    }
  }

  private async fail(error: unknown, call: Call): Promise<never> {
    throw await this.failure(error, call);
  }

  private headers({ body, range }: Call): Record<string, string> {
    const token = this.options.token();
    return {
      ...(token ? { Authorization: `Bearer ${token}` } : {}),
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...(range === undefined ? {} : { Range: `bytes=${range[0]}-${range[1]}` }),
    };
  }
}

/** Codes for the causes of a missing response. */
const CODES: Partial<Record<ConnectionCause, ClientErrorCode>> = {
  not_running: 'unreachable',
  unknown_host: 'unreachable',
  not_running_or_not_allowed: 'unreachable',
  origin_not_allowed: 'blocked',
  file_page: 'blocked',
  mixed_content: 'blocked',
  local_network_access: 'blocked',
};

async function readError(response: Response, base: string): Promise<AcqClientError> {
  return toError(await readJson(response), response, base);
}

/** Returns undefined when the body is not JSON. */
async function readJson(response: Response): Promise<unknown> {
  const text = await response.text();
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function toError(answer: unknown, response: Response, base: string): AcqClientError {
  const { status, headers } = response;
  const requestId = headers.get('x-request-id');
  if (!isEnvelope(answer) && status === 401) {
    const message = `The login at ${base} is missing or has ended.`;
    return new AcqClientError('unauthorized', message, { status, requestId, hint: 'Log in again.' });
  }
  if (!isEnvelope(answer)) {
    const message = `The program at ${base} (status ${status}) is not Acquisition Store Server.`;
    return new AcqClientError('not_this_server', message, { status, requestId });
  }
  const retryAfterSeconds = Number(headers.get('retry-after') ?? Number.NaN);
  return new AcqClientError(answer.error, answer.message, {
    status,
    requestId,
    details: answer.details,
    retryAfterSeconds: Number.isFinite(retryAfterSeconds) ? retryAfterSeconds : null,
  });
}

function isEnvelope(answer: unknown): answer is ErrorEnvelope {
  return (
    isObject(answer) &&
    answer['ok'] === false &&
    typeof answer['error'] === 'string' &&
    typeof answer['message'] === 'string'
  );
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function isTimeout(error: unknown): boolean {
  return (error as { name?: unknown }).name === 'TimeoutError';
}
