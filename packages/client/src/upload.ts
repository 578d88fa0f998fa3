/** Sends files to the server, which cannot read them by path, and opens them there. */
import type { OpenRequest, OpenResponse } from './contract/open.js';
import type { Upload } from './contract/uploads.js';
import { hasCode } from './errors.js';
import type { Progress } from './plane-body.js';
import type { Transport } from './transport.js';

/** Files of one acquisition. */
export interface UploadSource {
  /** Name of the file or folder to open. */
  name: string;
  files: readonly {
    /** Relative path with `/`: the name, or a file beside or below it. */
    path: string;
    data: Blob;
  }[];
}

interface SendOptions {
  signal?: AbortSignal | undefined;
  onProgress?: ((progress: Progress) => void) | undefined;
}

/** Files that are sent at the same time: one large file needs one connection, a Zarr store has thousands of small ones. */
const MAX_PARALLEL = 4;

export class Uploader {
  readonly #transport: Transport;
  readonly #source: UploadSource;
  #id: string | undefined;

  constructor(transport: Transport, source: UploadSource) {
    this.#transport = transport;
    this.#source = source;
  }

  /** Opens the files. Sends them first if the server does not have them, or not any more. */
  async open(choice: Omit<OpenRequest, 'path'>, options: SendOptions): Promise<OpenResponse> {
    if (this.#id !== undefined) {
      try {
        return await this.#open(this.#id, choice, options);
      } catch (error) {
        if (!hasCode(error, 'upload_not_found')) throw error;
        this.#id = undefined;
      }
    }
    const id = await this.#send(options);
    try {
      const info = await this.#open(id, choice, options);
      this.#id = id;
      return info;
    } catch (error) {
      await this.#transport.end(addressOf(id), false);
      throw error;
    }
  }

  #open(id: string, choice: Omit<OpenRequest, 'path'>, { signal }: SendOptions): Promise<OpenResponse> {
    return this.#transport.json(`${addressOf(id)}/open`, { method: 'POST', body: choice, signal });
  }

  async #send({ signal, onProgress }: SendOptions): Promise<string> {
    const { name, files } = this.#source;
    const total = files.reduce((sum, { data }) => sum + data.size, 0);
    const call = { method: 'POST', body: { name, size: total }, signal } as const;
    const { uploadId } = await this.#transport.json<Upload>('/api/v2/uploads', call);
    const sent = files.map(() => 0);
    const stop = new AbortController();
    const stopped = signal ? AbortSignal.any([signal, stop.signal]) : stop.signal;
    let next = 0;
    const sendSome = async () => {
      for (let i = next++; i < files.length; i = next++) {
        const { path, data } = files[i]!;
        const onSent = (bytes: number) => {
          sent[i] = Math.min(bytes, data.size);
          onProgress?.({ received: sent.reduce((sum, part) => sum + part, 0), total });
        };
        const key = path.split('/').map(encodeURIComponent).join('/');
        await this.#transport.putFile(`${addressOf(uploadId)}/files/${key}`, data, { signal: stopped, onSent });
        onSent(data.size);
      }
    };
    try {
      await Promise.all(Array.from({ length: Math.min(MAX_PARALLEL, files.length) }, sendSome));
      return uploadId;
    } catch (error) {
      stop.abort();
      await this.#transport.end(addressOf(uploadId), false);
      throw error;
    }
  }
}

function addressOf(id: string): string {
  return `/api/v2/uploads/${id}`;
}
