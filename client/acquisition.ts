import type { Channel, OpenRequest, OpenResponse, Plane } from '#contract/open.js';
import type { SessionStatus } from '#contract/session.js';
import { checkInfo } from './check-info.js';
import { AcqClientError, hasCode } from './errors.js';
import { type BodyOptions, type Progress, readSamples } from './plane-body.js';
import { sourceText } from './same-source.js';
import { Spots, sameSamples } from './spots.js';
import type { Call, Transport } from './transport.js';

/** What of a file is opened. */
export type OpenChoice = Omit<OpenRequest, 'path'>;

export interface CallOptions {
  /** Ends the request; what is thrown then is its reason, as by `fetch`. */
  signal?: AbortSignal | undefined;
}

export interface ReadOptions extends CallOptions {
  onProgress?: (progress: Progress) => void;
}

/** How an acquisition came to be, and what it needs of its client. */
export interface Opening {
  transport: Transport;
  info: OpenResponse;
  /** By which it is opened again. */
  request: OpenRequest;
  /** The user picked it in the file dialog: opening it again by its path may not be allowed. */
  picked: boolean;
  /** Told of every acquisition that comes and goes. */
  register: { add(acquisition: OpenedAcquisition): void; delete(acquisition: OpenedAcquisition): void };
}

/**
 * One opened acquisition. When its session has expired, or the server was started again, a read opens the file again
 * and goes on, provided that the file is as it was.
 */
export class OpenedAcquisition {
  /** Called after the file was opened again; `info` has a new `sessionId` then, and is otherwise the same. */
  onReopened: ((info: OpenResponse) => void) | null = null;
  readonly #opening: Opening;
  readonly #ending = new AbortController();
  readonly #spots = new Spots();
  #info: OpenResponse;
  #reopening: Promise<void> | null = null;

  constructor(opening: Opening) {
    this.#opening = opening;
    this.#info = checkInfo(opening.info);
    opening.register.add(this);
  }

  /** The open response. */
  get info(): OpenResponse {
    return this.#info;
  }

  get closed(): boolean {
    return this.#ending.signal.aborted;
  }

  /**
   * The plane of a channel, rows × columns samples, row by row.
   * @param channelIndex `index` of one of `info.channels`
   */
  plane(channelIndex: number, options: ReadOptions = {}): Promise<Float32Array<ArrayBuffer>> {
    return this.#read((info) => ofChannel(info.channels, channelIndex, 'channel_not_found'), options);
  }

  /** The plane of a channel of the reference image; `channelIndex` is `index` of one of `info.reference.channels`. */
  referencePlane(channelIndex: number, options: ReadOptions = {}): Promise<Float32Array<ArrayBuffer>> {
    const code = 'reference_channel_not_found';
    return this.#read((info) => ofChannel(info.reference?.channels ?? [], channelIndex, code), options);
  }

  /** `rowCount` rows of a plane from `firstRow` on; no more is transferred. */
  rows(channelIndex: number, firstRow: number, rowCount: number, options: ReadOptions = {}) {
    const source = (info: OpenResponse): Wanted => {
      const { channel } = ofChannel(info.channels, channelIndex, 'channel_not_found');
      return { channel, range: rowRange(channel, info.plane, firstRow, rowCount) };
    };
    return this.#read(source, options);
  }

  /** State of the session. Opens nothing again: `session_not_found` when it has expired. */
  status({ signal }: CallOptions = {}): Promise<SessionStatus> {
    return this.#transport.json(this.#address, { signal, quick: true });
  }

  /** Starts the time-to-live of the session again. Opens nothing again, like `status`. */
  renew({ signal }: CallOptions = {}): Promise<SessionStatus> {
    return this.#transport.json(`${this.#address}/renew`, { method: 'POST', signal, quick: true });
  }

  /**
   * Opens another scene, time, section, other channels or steps of the same file, and then closes this acquisition.
   * What `choice` leaves out stays as it is. When it fails, this acquisition stays.
   */
  async select(choice: OpenChoice, options: CallOptions = {}): Promise<OpenedAcquisition> {
    this.#assertOpen();
    const request = { ...this.#opening.request, ...choice };
    const info = await this.#open(request, options);
    const next = new OpenedAcquisition({ ...this.#opening, info, request });
    await this.close();
    return next;
  }

  /** Ends the session. Never fails: a session that cannot be ended expires. `keepalive`: also while the page goes away. */
  async close({ keepalive = false }: { keepalive?: boolean } = {}): Promise<void> {
    if (this.closed) return;
    this.#ending.abort();
    this.#opening.register.delete(this);
    await this.#end(this.#info, keepalive);
  }

  get #transport(): Transport {
    return this.#opening.transport;
  }

  get #address(): string {
    return addressOf(this.#info);
  }

  async #read(source: (info: OpenResponse) => Wanted, options: ReadOptions): Promise<Float32Array<ArrayBuffer>> {
    this.#assertOpen();
    const { sessionId } = this.#info;
    try {
      return await this.#readOnce(source, options);
    } catch (error) {
      if (!hasCode(error, 'session_not_found') || this.closed) throw error;
    }
    // Another read may have opened it again meanwhile.
    if (this.#info.sessionId === sessionId) await this.#sharedReopen(options.signal);
    return this.#readOnce(source, options);
  }

  async #readOnce(source: (info: OpenResponse) => Wanted, options: ReadOptions): Promise<Float32Array<ArrayBuffer>> {
    const wanted = source(this.#info);
    const path = wanted.channel.dataUrl.slice(this.#address.length);
    const samples = await readPlane(this.#transport, wanted, options);
    this.#spots.keep(path, wanted.channel, wanted.range?.[0] ?? 0, samples);
    return samples;
  }

  /** All readers wait for one; a reader that gives up does not stop it for the others. */
  async #sharedReopen(signal: AbortSignal | undefined): Promise<void> {
    this.#reopening ??= this.#reopen().finally(() => {
      this.#reopening = null;
    });
    await untilAborted(this.#reopening, signal);
  }

  async #reopen(): Promise<void> {
    let info: OpenResponse;
    try {
      info = await this.#open(this.#opening.request, { signal: this.#ending.signal });
    } catch (error) {
      this.#assertOpen();
      throw this.#cannotReopen(error);
    }
    const same = await this.#isUnchanged(info).catch(async (error: unknown) => {
      await this.#end(info);
      this.#assertOpen();
      throw this.#cannotReopen(error);
    });
    if (this.closed || !same) {
      await this.#end(info);
      this.#assertOpen();
      throw new AcqClientError('source_changed', `${info.source.name} has changed since it was opened.`);
    }
    this.#info = info;
    this.onReopened?.(info);
  }

  /** The server knows nothing of the session before: what it says of the file and samples that were read must agree. */
  async #isUnchanged(info: OpenResponse): Promise<boolean> {
    if (sourceText(info) !== sourceText(this.#info)) return false;
    const { signal } = this.#ending;
    for (const { path, channel, range, samples } of this.#spots.all()) {
      const wanted = { channel: { ...channel, dataUrl: addressOf(info) + path }, range };
      if (!sameSamples(await readPlane(this.#transport, wanted, { signal }), samples)) return false;
    }
    return true;
  }

  async #open(request: OpenRequest, { signal }: CallOptions): Promise<OpenResponse> {
    return checkInfo(await this.#transport.json('/api/v2/open', { method: 'POST', body: request, signal }));
  }

  #cannotReopen(error: unknown): unknown {
    if (!(error instanceof AcqClientError)) return error;
    const { code, message, status, details, requestId, retryAfterSeconds, connection } = error;
    const consent = this.#opening.picked && (code === 'blocked' || code === 'path_not_allowed');
    return new AcqClientError(code, `The session has ended, and the file could not be opened again: ${message}`, {
      ...{ status, details, requestId, retryAfterSeconds, cause: error },
      ...(connection === null ? {} : { connection }),
      hint: consent ? 'Pick the file again.' : error.hint,
    });
  }

  async #end(info: OpenResponse, keepalive = false): Promise<void> {
    await this.#transport.end(addressOf(info), keepalive);
  }

  #assertOpen(): void {
    if (this.closed) throw new AcqClientError('closed', `${this.#info.source.name} was closed.`);
  }
}

/** The options that every way of opening has; what belongs to the file dialog alone is left out. */
export function choiceOf({ channelIndices, selection, calibration }: OpenChoice): OpenChoice {
  return {
    ...(channelIndices === undefined ? {} : { channelIndices }),
    ...(selection === undefined ? {} : { selection }),
    ...(calibration === undefined ? {} : { calibration }),
  };
}

interface Wanted {
  channel: Channel;
  /** Bytes, both ends included. */
  range?: readonly [first: number, last: number];
}

async function readPlane(transport: Transport, { channel, range }: Wanted, { signal, onProgress }: ReadOptions) {
  const call: Call = { signal, ...(range ? { range } : {}) };
  const response = await transport.send(channel.dataUrl, call);
  const body: BodyOptions = { name: channel.name, total: channel.byteLength, onProgress, signal };
  if (range) {
    const [first, last] = range;
    const length = last - first + 1;
    // A proxy may drop the range: the answer is the whole plane then.
    if (response.status === 206) body.total = length;
    else body.window = { start: first, length };
  }
  try {
    return await readSamples(response, body);
  } catch (error) {
    throw await transport.failure(error, call);
  }
}

function ofChannel(
  channels: readonly Channel[],
  index: number,
  code: 'channel_not_found' | 'reference_channel_not_found',
): Wanted {
  const channel = channels.find((one) => one.index === index);
  if (channel) return { channel };
  const there = channels.map((one) => one.index).join(', ') || 'none';
  throw new AcqClientError(code, `Channel ${index} was not opened; these were: ${there}.`);
}

function rowRange({ name }: Channel, { shape }: Plane, firstRow: number, rowCount: number) {
  const [rows = 0, columns = 0] = shape;
  const whole = Number.isInteger(firstRow) && Number.isInteger(rowCount);
  if (!whole || firstRow < 0 || rowCount < 1 || firstRow + rowCount > rows) {
    const message = `${name}: ${rowCount} rows from ${firstRow} on do not lie within its ${rows} rows.`;
    throw new AcqClientError('range_not_satisfiable', message);
  }
  const rowBytes = columns * 4;
  return [firstRow * rowBytes, (firstRow + rowCount) * rowBytes - 1] as const;
}

function addressOf({ sessionId }: OpenResponse): string {
  return `/api/v2/sessions/${sessionId}`;
}

function untilAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return promise;
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason);
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}
