/** Requests to the server that is checked. Uses `node:http`, because `fetch` cannot send a foreign Host header. */
import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { ensure, Failure, MAX_SHOWN, NoAnswer, shorten } from './failure.js';

/** Max bytes of an answer, of any length that it announces. The largest one of this server, `/openapi.json`, has 1 MB at most. */
export const MAX_ANSWER_BYTES = 16 * 1024 * 1024;

export interface Ask {
  headers?: Record<string, string>;
  /** Sent as JSON with its content type. */
  json?: unknown;
  /** Sent as it is. */
  text?: string;
  /** Sends no token. */
  anonymous?: boolean;
}

export interface TargetOptions {
  /** Sent as `Authorization: Bearer`. */
  token?: string;
  timeoutSeconds: number;
}

/** A response with its whole body. */
export class Answer {
  readonly what: string;
  readonly status: number;
  readonly headers: Record<string, string | undefined>;
  readonly body: Buffer;

  constructor(what: string, status: number, headers: Record<string, string | undefined>, body: Buffer) {
    this.what = what;
    this.status = status;
    this.headers = headers;
    this.body = body;
  }

  /** Media type without its parameters. */
  get type(): string {
    return (this.headers['content-type'] ?? '').split(';')[0]!.trim().toLowerCase();
  }

  /** Returns the JSON object in the body. */
  json(): Record<string, unknown> {
    ensure(this.type === 'application/json', `${this.what} has the content type ${shorten(this.type)}; expected JSON`);
    let value: unknown;
    try {
      value = JSON.parse(this.body.toString('utf8'));
    } catch {
      throw new Failure(`${this.what} is not valid JSON`);
    }
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    ensure(isObject, `${this.what} is ${shorten(value)}; expected an object`);
    return value as Record<string, unknown>;
  }

  /** Fails unless the response has this status. Returns the response. */
  expectStatus(...statuses: number[]): this {
    const about = this.status >= 400 && this.type === 'application/json' ? `: ${shorten(this.body.toString())}` : '';
    const expected = statuses.join(' or ');
    ensure(statuses.includes(this.status), `${this.what} has status ${this.status}; expected ${expected}${about}`);
    return this;
  }
}

/** One server. */
export class Target {
  readonly base: string;
  private readonly options: TargetOptions;

  /** @param base address of the server, with the path of a proxy if there is one */
  constructor(base: string, options: TargetOptions) {
    this.base = base.replace(/\/+$/, '');
    this.options = options;
  }

  /**
   * Sends a request and reads the whole response. Does not follow redirects.
   * @param path may come from the server, and must not lead to another one, which would receive the token
   */
  async ask(method: string, path: string, { headers = {}, json, text, anonymous = false }: Ask = {}): Promise<Answer> {
    ensure(path.startsWith('/'), `an address of the server is ${shorten(path)}; expected a path`);
    const url = new URL(this.base + path);
    const what = `${method} ${path.slice(0, MAX_SHOWN)}`;
    const body = json === undefined ? text : JSON.stringify(json);
    const { token, timeoutSeconds } = this.options;
    const sent = {
      ...(token === undefined || anonymous ? {} : { authorization: `Bearer ${token}` }),
      ...(json === undefined ? {} : { 'content-type': 'application/json' }),
      ...(body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }),
      ...headers,
    };
    const signal = AbortSignal.timeout(timeoutSeconds * 1000);
    const send = url.protocol === 'https:' ? requestHttps : requestHttp;
    return new Promise((resolve, reject) => {
      let hasBegun = false;
      const fail = (error: Error) => {
        const why = signal.aborted ? `has no complete response within ${timeoutSeconds} s` : `failed: ${error.message}`;
        reject(new (hasBegun ? Failure : NoAnswer)(`${what} ${why}`));
      };
      const request = send(url, { method, headers: sent, signal }, (response) => {
        hasBegun = true;
        const chunks: Buffer[] = [];
        let length = 0;
        response.on('data', (chunk: Buffer) => {
          chunks.push(chunk);
          length += chunk.length;
          if (length <= MAX_ANSWER_BYTES) return;
          response.destroy();
          reject(new Failure(`${what} is larger than ${MAX_ANSWER_BYTES >> 20} MiB, the limit of this command`));
        });
        response.on('error', fail);
        response.on('end', () => {
          const received = Object.entries(response.headers).map(([name, value]) => [name, String(value)]);
          resolve(new Answer(what, response.statusCode ?? 0, Object.fromEntries(received), Buffer.concat(chunks)));
        });
      });
      request.on('error', fail);
      request.end(body);
    });
  }

  get(path: string, headers: Record<string, string> = {}): Promise<Answer> {
    return this.ask('GET', path, { headers });
  }

  post(path: string, json: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    return this.ask('POST', path, { json, headers });
  }
}
