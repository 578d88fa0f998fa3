/** Requests to the HTTP API of the server that the tools use. */
import { concat } from '@acquisition-store/readers/base/bytes.js';
import { AcqError, type ErrorCode, type ValidationDetail } from '@acquisition-store/readers/base/errors.js';
import { grouped } from '@acquisition-store/readers/base/wording.js';
import { ToolError } from './tool-error.js';

/** A server that answers. */
export interface ConnectedServer {
  /** Without a trailing slash. */
  url: string;
  /** Empty for none. */
  token: string;
  /** Ends the server when it is of this process. */
  close(): Promise<unknown>;
}

export interface ApiCall {
  method?: 'GET' | 'POST' | 'DELETE';
  query?: object;
  /** Sent as JSON. */
  body?: object;
  signal: AbortSignal;
}

/** Max bytes of an answer that is held in memory. The server streams larger arrays into files. */
const MAX_ANSWER_BYTES = 64 * 2 ** 20;

export class ServerLink {
  private readonly connect: () => Promise<ConnectedServer>;
  private server: Promise<ConnectedServer> | undefined;

  /** @param connect finds or starts a server; called again when that one no longer answers */
  constructor(connect: () => Promise<ConnectedServer>) {
    this.connect = connect;
  }

  /** Makes sure that there is a server. */
  async ready(): Promise<void> {
    await this.current();
  }

  /** Returns the JSON of a successful answer. @throws AcqError with the code of the API; ToolError */
  async json<T>(path: string, call: ApiCall): Promise<T> {
    const response = await this.send(path, call);
    return JSON.parse(new TextDecoder().decode(await readBody(response))) as T;
  }

  /** Returns an array of little-endian float32 and its shape. @throws as `json` */
  async floats(path: string, call: ApiCall): Promise<{ shape: number[]; values: Float32Array }> {
    const response = await this.send(path, call);
    const shape = (response.headers.get('x-array-shape') ?? '').split(',').map(Number);
    const bytes = await readBody(response);
    return { shape, values: new Float32Array(bytes.buffer, 0, bytes.byteLength / Float32Array.BYTES_PER_ELEMENT) };
  }

  /** Returns a successful answer whose body has not been read. @throws as `json` */
  async send(path: string, { method = 'GET', query = {}, body, signal }: ApiCall): Promise<Response> {
    const server = await this.current();
    const { url, token } = server;
    const headers = {
      ...(token === '' ? {} : { Authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
    };
    const address = `${url}/api/v2${path}${toSearch(query)}`;
    const content = body === undefined ? {} : { body: JSON.stringify(body) };
    const response = await fetch(address, { method, headers, signal, ...content }).catch((error: unknown) => {
      signal.throwIfAborted();
      throw this.lost(server, error);
    });
    if (!response.ok) throw await toError(response);
    return response;
  }

  /** Ends a server of this process. Does nothing to others. */
  async close(): Promise<void> {
    const server = await this.server?.catch(() => undefined);
    await server?.close();
  }

  private current(): Promise<ConnectedServer> {
    const server = this.server ?? this.connect();
    this.server = server;
    server.catch(() => {
      if (this.server === server) this.server = undefined;
    });
    return server;
  }

  /** The next request looks for a server again. */
  private lost(server: ConnectedServer, cause: unknown): ToolError {
    void this.server?.then((current) => {
      if (current === server) this.server = undefined;
    });
    const text =
      'does not answer any more, and its acquisitions are closed. Open them again: that also looks for a running server.';
    return new ToolError('server_unreachable', `The server at ${server.url} ${text}`, cause);
  }
}

function toSearch(query: object): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) search.set(name, String(value));
  return search.size === 0 ? '' : `?${search}`;
}

async function readBody(response: Response): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of response.body ?? []) {
    length += part.byteLength;
    // Leaving the loop ends the download.
    if (length > MAX_ANSWER_BYTES) throw tooLarge();
    parts.push(part);
  }
  return concat(parts);
}

function tooLarge(): ToolError {
  const limit = grouped(MAX_ANSWER_BYTES);
  return new ToolError(
    'result_too_large',
    `The answer has more than ${limit} bytes, which is the limit. Ask for fewer rows, regions or points, or a larger \`every\`.`,
  );
}

/** Converts an answer that is not a success. */
async function toError(response: Response): Promise<Error> {
  const body: unknown = await readBody(response)
    .then((bytes) => JSON.parse(new TextDecoder().decode(bytes)) as unknown)
    .catch(() => undefined);
  const { error, message, details } = (body ?? {}) as {
    error?: ErrorCode;
    message?: string;
    details?: ValidationDetail[] | null;
  };
  if (error === undefined || message === undefined) {
    const text = `The program at ${new URL(response.url).origin} (status ${response.status}) is not Acquisition Store Server.`;
    return new ToolError('server_unreachable', text);
  }
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
  return new AcqError(error, message, {
    ...(details ? { details } : {}),
    ...(Number.isFinite(seconds) ? { retryAfterSeconds: seconds } : {}),
  });
}
