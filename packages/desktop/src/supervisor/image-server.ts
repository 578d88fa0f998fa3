/** Requests to the image server. */
import { type RequestOptions, request } from 'node:http';

/** The image server refused a request. `code` is of its error table. */
export class ServerError extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

export interface Call {
  method: 'GET' | 'POST';
  path: string;
  body?: object;
  /** Aborts the request, and with it what the server does for it. */
  signal?: AbortSignal | undefined;
  /** Without it the call may take any time: a file dialog waits for its user. */
  milliseconds?: number;
}

const MAX_ANSWER_BYTES = 16 * 1024 * 1024;

/**
 * Sends a request and returns the JSON of the answer.
 * @throws ServerError with the code and message of a refusal; the error of the connection
 */
export function callServer(base: string, { method, path, body, signal, milliseconds }: Call): Promise<unknown> {
  const text = body === undefined ? undefined : JSON.stringify(body);
  const headers =
    text === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) };
  const options: RequestOptions = { method, agent: false, headers };
  if (milliseconds !== undefined) options.timeout = milliseconds;
  if (signal) options.signal = signal;
  return new Promise((resolve, reject) => {
    const call = request(new URL(path, base), options, (response) => {
      const parts: Buffer[] = [];
      let length = 0;
      response.on('data', (part: Buffer) => {
        parts.push(part);
        length += part.length;
        if (length > MAX_ANSWER_BYTES) call.destroy(new Error('the answer is too large'));
      });
      response.on('error', reject);
      response.on('end', () => {
        try {
          resolve(readAnswer(response.statusCode ?? 0, Buffer.concat(parts).toString('utf8')));
        } catch (error) {
          reject(error);
        }
      });
    });
    call.on('timeout', () => call.destroy(new Error(`no answer within ${milliseconds} ms`)));
    call.on('error', reject);
    call.end(text);
  });
}

function readAnswer(status: number, text: string): unknown {
  const json: unknown = JSON.parse(text);
  if (status < 400) return json;
  const { error, message } = json as { error?: unknown; message?: unknown };
  throw new ServerError(String(error ?? status), String(message ?? `The server answered with status ${status}.`));
}
