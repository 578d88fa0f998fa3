/** Sends a file with progress, which `fetch` does not report. */

/** The part of `XMLHttpRequest` that is used here; workers and pages have it, Node does not. */
interface Xhr {
  readonly upload: { onprogress: ((event: { loaded: number }) => void) | null };
  readonly status: number;
  readonly responseText: string;
  onload: (() => void) | null;
  onerror: (() => void) | null;
  onabort: (() => void) | null;
  open(method: string, url: string): void;
  setRequestHeader(name: string, value: string): void;
  getResponseHeader(name: string): string | null;
  send(body: Blob): void;
  abort(): void;
}

interface FileRequest {
  url: string;
  headers: Record<string, string>;
  file: Blob;
  signal?: AbortSignal | undefined;
  onSent: (bytes: number) => void;
}

const KEPT_HEADERS = ['content-type', 'x-request-id', 'retry-after'];

/** True where the platform reports the progress of what it sends. */
export function reportsProgress(): boolean {
  return 'XMLHttpRequest' in globalThis;
}

/** @throws TypeError without an answer, like `fetch`; the reason of the signal */
export function putWithProgress({ url, headers, file, signal, onSent }: FileRequest): Promise<Response> {
  return new Promise((resolve, reject) => {
    const xhr = new (globalThis as unknown as { XMLHttpRequest: new () => Xhr }).XMLHttpRequest();
    const abort = () => xhr.abort();
    const settle = () => signal?.removeEventListener('abort', abort);
    xhr.open('PUT', url);
    for (const [name, value] of Object.entries(headers)) xhr.setRequestHeader(name, value);
    xhr.upload.onprogress = ({ loaded }) => onSent(loaded);
    xhr.onload = () => {
      settle();
      const kept = KEPT_HEADERS.map((name) => [name, xhr.getResponseHeader(name)]);
      const given = kept.filter((header): header is [string, string] => header[1] !== null);
      resolve(new Response(xhr.responseText, { status: xhr.status, headers: given }));
    };
    xhr.onerror = () => {
      settle();
      reject(new TypeError('The connection was interrupted.'));
    };
    xhr.onabort = () => {
      settle();
      reject(signal?.reason);
    };
    if (signal?.aborted) {
      reject(signal.reason);
      return;
    }
    signal?.addEventListener('abort', abort);
    xhr.send(file);
  });
}
