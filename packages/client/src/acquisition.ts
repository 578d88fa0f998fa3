import {
  type NativeArray,
  type OverviewChoice,
  type PlaneArray,
  type PlanePlace,
  type ProfileArrays,
  type ProfileChoice,
  type ProfileResponse,
  place,
  placeQuery,
  readArray,
  readNativeArray,
  readProfile,
  type Statistics,
  type StatisticsChoice,
  type TracesChoice,
  toQuery,
  type WindowChoice,
} from './analysis.js';
import { checkInfo } from './check-info.js';
import { changeRequest, type SelectChoice } from './choice.js';
import type { OpenRequest, OpenResponse } from './contract/open.js';
import type { SessionStatus } from './contract/session.js';
import type { VendorMetadata } from './contract/vendor-metadata.js';
import { AcqClientError, hasCode } from './errors.js';
import { type AcquisitionEvent, readEvents } from './events.js';
import { type MeasuredValues, type PlaneColumns, readCoordinates, readPlanes } from './measured.js';
import type { NativeSamples, Progress } from './plane-body.js';
import { findChannel, type PlaneRequest, readPlane, rowRange } from './plane-request.js';
import { sourceText } from './same-source.js';
import { isSmall, Spots, sameSamples } from './spots.js';
import type { Transport } from './transport.js';
import type { Uploader } from './upload.js';

export interface CallOptions {
  /** Aborts the request, which then rejects with the reason of the signal, as `fetch` does. */
  signal?: AbortSignal | undefined;
}

export interface ReadOptions extends CallOptions {
  onProgress?: (progress: Progress) => void;
}

export interface NativeOptions extends ReadOptions, PlanePlace {
  /**
   * Called when the samples begin to arrive, with the array that they fill from its start; `onProgress` tells how far.
   * Called again when the file had to be opened again. Not called by machines that are big-endian.
   */
  onStart?: (samples: NativeSamples) => void;
}

/** How an acquisition was opened, and what it needs from its client. */
export interface Opening {
  transport: Transport;
  info: OpenResponse;
  /** The request that opens it again. */
  request: OpenRequest;
  /** True when the user picked it in the file dialog. Opening it again by its path may then not be allowed. */
  picked: boolean;
  /** Opens files that were sent, which have no path. */
  uploader?: Uploader;
  /** Contains the acquisitions that are open. */
  register: { add(acquisition: OpenedAcquisition): void; delete(acquisition: OpenedAcquisition): void };
}

/**
 * One opened acquisition. When its session has expired or the server was restarted, a read opens the file again and
 * continues, provided that the file has not changed.
 */
export class OpenedAcquisition {
  /** Called after the file was opened again. `info` then has a new `sessionId` and is otherwise the same. */
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
   * Reads a plane of a channel: rows × columns samples, row by row.
   * @param channelIndex `index` of one of `info.channels`
   * @param options with `t` and `z`, the plane at another time point or section
   */
  plane(channelIndex: number, options: ReadOptions & PlanePlace = {}): Promise<Float32Array<ArrayBuffer>> {
    const { t, z } = options;
    const query = placeQuery({ t, z });
    const source = (info: OpenResponse): PlaneRequest => {
      const { channel } = findChannel(info.channels, channelIndex, 'channel_not_found');
      return { channel: { ...channel, dataUrl: channel.dataUrl + query } };
    };
    return this.#read(source, options);
  }

  /**
   * Like `plane`, in the type of the file: half or a quarter of the bytes for integers of 16 or 8 bits.
   * @throws AcqClientError `request_validation_failed` for a projection, which has no samples in the type of the file
   */
  nativePlane(channelIndex: number, options: NativeOptions = {}): Promise<NativeSamples> {
    const { t, z, signal, onStart, onProgress } = options;
    const query = toQuery({ ...place({ t, z }), type: 'native' });
    return this.#analyze(channelIndex, options, async (path) => {
      const { channel } = findChannel(this.#info.channels, channelIndex, 'channel_not_found');
      const { name } = channel;
      const parts = { name, onStart, onProgress };
      const { samples } = await readNativeArray(this.#transport, `${path}/window${query}`, { signal }, parts);
      const data = channel.dataUrl.slice(this.#path.length) + placeQuery({ t, z });
      if (isSmall(samples)) this.#spots.keep(data, channel, 0, samples);
      return samples;
    });
  }

  /** Reads the plane of a reference channel. `channelIndex` is `index` of one of `info.reference.channels`. */
  referencePlane(channelIndex: number, options: ReadOptions = {}): Promise<Float32Array<ArrayBuffer>> {
    const code = 'reference_channel_not_found';
    return this.#read((info) => findChannel(info.reference?.channels ?? [], channelIndex, code), options);
  }

  /** Reads `rowCount` rows of a plane, starting with `firstRow`. Only these rows are transferred. */
  rows(channelIndex: number, firstRow: number, rowCount: number, options: ReadOptions = {}) {
    const source = (info: OpenResponse): PlaneRequest => {
      const { channel } = findChannel(info.channels, channelIndex, 'channel_not_found');
      return { channel, range: rowRange(channel, info.plane, firstRow, rowCount) };
    };
    return this.#read(source, options);
  }

  /** Reads a part of a plane: rows × columns samples as they are, every few of them with `every`. */
  window(channelIndex: number, choice: WindowChoice = {}, options: CallOptions = {}): Promise<PlaneArray> {
    return this.#analyze(channelIndex, options, (path, { signal }) =>
      readArray(this.#transport, `${path}/window${toQuery(choice)}`, { signal }),
    );
  }

  /** Like `window`, in the type of the file. */
  nativeWindow(channelIndex: number, choice: WindowChoice = {}, options: CallOptions = {}): Promise<NativeArray> {
    return this.#analyze(channelIndex, options, (path, { signal }) =>
      readNativeArray(this.#transport, `${path}/window${toQuery({ ...choice, type: 'native' })}`, { signal }),
    );
  }

  /** Reads the smallest, largest and mean sample of every cell of a grid: 3 × height × width. */
  overview(channelIndex: number, choice: OverviewChoice = {}, options: CallOptions = {}): Promise<PlaneArray> {
    return this.#analyze(channelIndex, options, (path, { signal }) =>
      readArray(this.#transport, `${path}/overview${toQuery(choice)}`, { signal }),
    );
  }

  /** Reads statistics of the finite samples, computed from all of them. */
  statistics(channelIndex: number, choice: StatisticsChoice = {}, options: CallOptions = {}): Promise<Statistics> {
    return this.#analyze(channelIndex, options, (path, { signal }) =>
      this.#transport.json(`${path}/statistics${toQuery(choice)}`, { signal }),
    );
  }

  /** Reads samples along a line, interpolated between pixels. */
  profile(channelIndex: number, choice: ProfileChoice, options: CallOptions = {}): Promise<ProfileResponse> {
    const { t, z, ...body } = choice;
    const query = placeQuery({ t, z });
    return this.#analyze(channelIndex, options, (path, { signal }) =>
      this.#transport.json(`${path}/profile${query}`, { method: 'POST', body, signal }),
    );
  }

  /** Like `profile`, as arrays: less to send for a long line. */
  profileArrays(channelIndex: number, choice: ProfileChoice, options: CallOptions = {}): Promise<ProfileArrays> {
    const { t, z, ...body } = choice;
    const query = placeQuery({ t, z });
    return this.#analyze(channelIndex, options, (path, { signal }) =>
      readProfile(this.#transport, `${path}/profile${query}`, { method: 'POST', body: { ...body, as: 'raw' }, signal }),
    );
  }

  /** Follows regions along the rows, the time points or the sections: regions × values. */
  traces(channelIndex: number, choice: TracesChoice, options: CallOptions = {}): Promise<PlaneArray> {
    const { t, z, ...body } = choice;
    const query = placeQuery({ t, z });
    return this.#analyze(channelIndex, options, (path, { signal }) =>
      readArray(this.#transport, `${path}/traces${query}`, { method: 'POST', body, signal }),
    );
  }

  /** Reads the measured times and positions of the axes that `info.header.coordinates` lists. */
  coordinates(options: CallOptions = {}): Promise<MeasuredValues> {
    return this.#withReopening(() => readCoordinates(this.#transport, this.#path, this.#info.header, options), options);
  }

  /** Reads what the file says of each plane: one row for each T, Z and C. */
  planes(options: CallOptions = {}): Promise<PlaneColumns> {
    return this.#withReopening(() => readPlanes(this.#transport, this.#path, options), options);
  }

  /**
   * Reads the vendor's own names and values: objective, lasers, gains, … Nothing in them is interpreted. `truncated` is
   * true when the file contains more.
   */
  metadata(options: CallOptions = {}): Promise<VendorMetadata> {
    return this.#withReopening(async () => {
      const { signal } = options;
      const info = checkInfo(await this.#transport.json(`${this.#path}/acquisition?metadata=true`, { signal }));
      return info.source.metadata ?? { entries: [], truncated: false };
    }, options);
  }

  /**
   * Reads the state of the session. Does not open the file again; throws `session_not_found` when the session has
   * expired.
   */
  status({ signal }: CallOptions = {}): Promise<SessionStatus> {
    return this.#transport.json(this.#path, { signal, quick: true });
  }

  /** Tells when the files change, until the session ends. Throws `interrupted` when the connection breaks: call it again. */
  events({ signal }: CallOptions = {}): AsyncGenerator<AcquisitionEvent, void, undefined> {
    return readEvents(this.#transport, `${this.#path}/events`, signal);
  }

  /** Restarts the time-to-live of the session. Like `status`, it does not open the file again. */
  renew({ signal }: CallOptions = {}): Promise<SessionStatus> {
    return this.#transport.json(`${this.#path}/renew`, { method: 'POST', signal, quick: true });
  }

  /**
   * Opens another scene, time point, section, other channels or another calibration of the same file, and then closes
   * this acquisition. What `choice` omits stays the same; `projection: null` returns to single planes, `interpret: null`
   * to the axes of the file, and `channelIndices: null` to all channels. After a failure this acquisition stays open.
   */
  async select(choice: SelectChoice, options: CallOptions = {}): Promise<OpenedAcquisition> {
    const next = await this.openAgain(choice, options);
    await this.close();
    return next;
  }

  /**
   * Opens the same file once more, as `select` does, and leaves this acquisition open. Files that were sent are not sent
   * again while the server has them.
   */
  async openAgain(choice: SelectChoice = {}, options: CallOptions = {}): Promise<OpenedAcquisition> {
    this.#assertOpen();
    const request = changeRequest(this.#opening.request, choice);
    const info = await this.#open(request, options);
    return new OpenedAcquisition({ ...this.#opening, info, request });
  }

  /** Ends the session. Never fails: it expires otherwise. `keepalive` lets the request outlive the page. */
  async close({ keepalive = false }: { keepalive?: boolean } = {}): Promise<void> {
    if (this.closed) return;
    this.#ending.abort();
    this.#opening.register.delete(this);
    await this.#end(this.#info, keepalive);
  }

  get #transport(): Transport {
    return this.#opening.transport;
  }

  get #path(): string {
    return sessionPath(this.#info);
  }

  #read(source: (info: OpenResponse) => PlaneRequest, options: ReadOptions): Promise<Float32Array<ArrayBuffer>> {
    return this.#withReopening(() => this.#readOnce(source, options), options);
  }

  #analyze<T>(
    channelIndex: number,
    options: CallOptions,
    send: (path: string, options: CallOptions) => Promise<T>,
  ): Promise<T> {
    return this.#withReopening(async () => {
      findChannel(this.#info.channels, channelIndex, 'channel_not_found');
      return send(`${this.#path}/channels/${channelIndex}`, options);
    }, options);
  }

  /** Runs `attempt`, and once more after the file was opened again when the session has ended. */
  async #withReopening<T>(attempt: () => Promise<T>, { signal }: CallOptions): Promise<T> {
    this.#assertOpen();
    const { sessionId } = this.#info;
    try {
      return await attempt();
    } catch (error) {
      if (!hasCode(error, 'session_not_found') || this.closed) throw error;
    }
    // Another read may have opened it again in the meantime.
    if (this.#info.sessionId === sessionId) await this.#sharedReopen(signal);
    return attempt();
  }

  async #readOnce(
    source: (info: OpenResponse) => PlaneRequest,
    options: ReadOptions,
  ): Promise<Float32Array<ArrayBuffer>> {
    const request = source(this.#info);
    const path = request.channel.dataUrl.slice(this.#path.length);
    const samples = await readPlane(this.#transport, request, options);
    this.#spots.keep(path, request.channel, request.range?.[0] ?? 0, samples);
    return samples;
  }

  /** Opens the file again once for all readers. A reader that is aborted does not stop it for the others. */
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

  /**
   * Compares the new description of the file, and some samples that were read before, with those of the old session.
   */
  async #isUnchanged(info: OpenResponse): Promise<boolean> {
    if (sourceText(info) !== sourceText(this.#info)) return false;
    const { signal } = this.#ending;
    for (const { path, channel, range, samples } of this.#spots.all()) {
      const request = { channel: { ...channel, dataUrl: sessionPath(info) + path }, range };
      if (!sameSamples(await readPlane(this.#transport, request, { signal }), samples)) return false;
    }
    return true;
  }

  async #open(request: OpenRequest, { signal }: CallOptions): Promise<OpenResponse> {
    const { uploader } = this.#opening;
    if (uploader) {
      const { path: _path, ...choice } = request;
      return checkInfo(await uploader.open(choice, { signal }));
    }
    return checkInfo(await this.#transport.json('/api/v2/open', { method: 'POST', body: request, signal }));
  }

  #cannotReopen(error: unknown): unknown {
    if (!(error instanceof AcqClientError)) return error;
    const { code, message, status, details, requestId, retryAfterSeconds, connection } = error;
    const needsDialog = this.#opening.picked && (code === 'blocked' || code === 'path_not_allowed');
    return new AcqClientError(code, `The session has ended, and the file could not be opened again: ${message}`, {
      ...{ status, details, requestId, retryAfterSeconds, cause: error },
      ...(connection === null ? {} : { connection }),
      hint: needsDialog ? 'Pick the file again.' : error.hint,
    });
  }

  async #end(info: OpenResponse, keepalive = false): Promise<void> {
    await this.#transport.end(sessionPath(info), keepalive);
  }

  #assertOpen(): void {
    if (this.closed) throw new AcqClientError('closed', `${this.#info.source.name} was closed.`);
  }
}

function sessionPath({ sessionId }: OpenResponse): string {
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
