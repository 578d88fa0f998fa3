import {
  AcqClientError,
  type AcquisitionEvent,
  type CallOptions,
  hasCode,
  type NativeOptions,
  type NativeSamples,
  type OverviewChoice,
  type PlaneArray,
  type PlanePlace,
  type ProfileArrays,
  type ProfileChoice,
  type ReadOptions,
  type SelectChoice,
  type SessionStatus,
  type StatisticsChoice,
  type TracesChoice,
  type WindowChoice,
} from '@acquisition-store/client';
import type { AskedPlane, ViewChoice } from '@acquisition-store/client/answers/describe.js';
import { changeRequest } from '@acquisition-store/client/choice.js';
import type { OpenResponse } from '@acquisition-store/client/contract/open.js';
import type { ZarrVersion } from '@acquisition-store/readers/derive/zarr/versions.js';
import { FOREVER_SECONDS, type GivenFiles, type OpenedAcquisition } from '../model/client.ts';
import type { SentSamples } from './coming-plane.ts';
import type { WatchedOptions, WorkerHost } from './host.ts';
import type { Args, Form, Method, Result, SessionAnswers } from './protocol.ts';

export interface StoreOptions {
  /** 0.4 is Zarr 2, 0.5 is Zarr 3. */
  version?: ZarrVersion;
}

/** A store of `zarrita`. */
export interface ZarrStore {
  /**
   * Returns the value of a key, with or without a slash at its start; `undefined` for a key that there is not.
   * @throws AcqError for a plane that cannot be read, which is never taken for zeros
   */
  get(key: string, options?: CallOptions): Promise<Uint8Array | undefined>;
}

/** An acquisition whose files the page reads itself. */
export class PageAcquisition implements OpenedAcquisition {
  onReopened: ((info: OpenResponse) => void) | null = null;
  readonly #host: WorkerHost;
  readonly #choice: ViewChoice;
  readonly #ending = new AbortController();
  #info: OpenResponse;
  #generation: number;

  /** Opens a part of files that were given to the page. */
  static async open(host: WorkerHost, choice: ViewChoice, options: CallOptions = {}): Promise<PageAcquisition> {
    host.enter();
    try {
      return new PageAcquisition(host, choice, await host.call('open', null, [choice], options));
    } catch (error) {
      host.leave();
      throw error;
    }
  }

  private constructor(host: WorkerHost, choice: ViewChoice, info: OpenResponse) {
    this.#host = host;
    this.#choice = choice;
    this.#info = info;
    this.#generation = host.generation;
  }

  get info(): OpenResponse {
    return this.#info;
  }

  get closed(): boolean {
    return this.#ending.signal.aborted;
  }

  get given(): GivenFiles {
    return this.#host.given;
  }

  async plane(channelIndex: number, options: ReadOptions & PlanePlace = {}): Promise<Float32Array<ArrayBuffer>> {
    return toFloat32(await this.#plane(channel(channelIndex, options), 'served', options));
  }

  async nativePlane(channelIndex: number, options: NativeOptions = {}) {
    return this.#plane(channel(channelIndex, options), 'native', options);
  }

  async referencePlane(channelIndex: number, options: ReadOptions = {}): Promise<Float32Array<ArrayBuffer>> {
    return toFloat32(await this.#plane({ kind: 'reference', channelIndex }, 'served', options));
  }

  async rows(channelIndex: number, firstRow: number, rowCount: number, options: ReadOptions = {}) {
    const { samples } = await this.window(channelIndex, { rows: [firstRow, firstRow + rowCount] }, options);
    return samples;
  }

  async window(channelIndex: number, choice: WindowChoice = {}, options: CallOptions = {}): Promise<PlaneArray> {
    const { shape, samples } = await this.#window(channelIndex, choice, 'served', options);
    return { shape, samples: toFloat32(samples) };
  }

  nativeWindow(channelIndex: number, choice: WindowChoice = {}, options: CallOptions = {}) {
    return this.#window(channelIndex, choice, 'native', options);
  }

  overview(channelIndex: number, choice: OverviewChoice = {}, options: CallOptions = {}) {
    return this.#call('overview', [channel(channelIndex, choice), choice], options);
  }

  statistics(channelIndex: number, choice: StatisticsChoice = {}, options: CallOptions = {}) {
    return this.#call('statistics', [channel(channelIndex, choice), choice], options);
  }

  profile(channelIndex: number, choice: ProfileChoice, options: CallOptions = {}) {
    return this.#call('profile', [channel(channelIndex, choice), choice], options);
  }

  async profileArrays(channelIndex: number, choice: ProfileChoice, options: CallOptions = {}): Promise<ProfileArrays> {
    const samples = await this.#call('profileArrays', [channel(channelIndex, choice), choice], options);
    const count = samples.length / 4;
    const [distance, rows, columns, values] = [0, 1, 2, 3].map((i) => samples.subarray(i * count, (i + 1) * count));
    return { distance: distance!, rows: rows!, columns: columns!, values: values! };
  }

  traces(channelIndex: number, choice: TracesChoice, options: CallOptions = {}) {
    return this.#call('traces', [channel(channelIndex, choice), choice], options);
  }

  coordinates(options: CallOptions = {}) {
    return this.#call('coordinates', [], options);
  }

  planes(options: CallOptions = {}) {
    return this.#call('planes', [], options);
  }

  metadata(options: CallOptions = {}) {
    return this.#call('metadata', [], options);
  }

  /**
   * Returns the whole acquisition as OME-Zarr, for `zarrita` and what is built on it. All scenes, channels, time points and
   * sections in the type of the file, with reduced levels; nothing is computed before it is asked for.
   */
  store({ version = '0.5' }: StoreOptions = {}): ZarrStore {
    return {
      get: async (key, options = {}) => {
        const value = await this.#call('zarrValue', [key.replace(/^\//, ''), version], { signal: options.signal });
        return value ?? undefined;
      },
    };
  }

  async status(): Promise<SessionStatus> {
    const { channels, reference, sessionId } = this.#info;
    const indices = (all: readonly { index: number }[]) => all.map(({ index }) => index).sort((a, b) => a - b);
    const all = [...channels, ...(reference?.channels ?? [])];
    return {
      ok: true,
      sessionId,
      ttlSecondsRemaining: FOREVER_SECONDS,
      channelIndices: indices(channels),
      referenceChannelIndices: indices(reference?.channels ?? []),
      totalBytes: all.reduce((sum, { byteLength }) => sum + byteLength, 0),
    };
  }

  renew(): Promise<SessionStatus> {
    return this.status();
  }

  /** A page is not told when its files change. */
  async *events(): AsyncGenerator<AcquisitionEvent, void, undefined> {}

  async select(choice: SelectChoice, options: CallOptions = {}): Promise<PageAcquisition> {
    const next = await this.openAgain(choice, options);
    await this.close();
    return next;
  }

  openAgain(choice: SelectChoice = {}, options: CallOptions = {}): Promise<PageAcquisition> {
    this.#assertOpen();
    return PageAcquisition.open(this.#host, changeRequest(this.#choice, choice), options);
  }

  async close(): Promise<void> {
    if (this.closed) return;
    this.#ending.abort();
    if (this.#generation === this.#host.generation) {
      void this.#host.call('close', null, [this.#info.sessionId]).catch(() => {});
    }
    this.#host.leave();
  }

  /** Reads a plane, whose first rows come before the others when somebody watches. */
  async #plane(asked: AskedPlane, form: Form, { signal, onStart, onProgress }: NativeOptions): Promise<NativeSamples> {
    if (!onStart && !onProgress) return this.#call('plane', [asked, form], { signal });
    let whole: NativeSamples | undefined;
    const onPart = ({ samples, at, received }: SentSamples) => {
      if (at === 0) {
        whole = samples;
        onStart?.(samples);
      } else if (whole) copyBytes(samples, whole, at);
      if (whole) onProgress?.({ received, total: whole.byteLength });
    };
    const rest = await this.#call('comingPlane', [asked, form], { signal, onPart });
    const samples = whole ?? rest;
    if (samples !== rest) copyBytes(rest, samples, samples.length - rest.length);
    onProgress?.({ received: samples.byteLength, total: samples.byteLength });
    return samples;
  }

  #window(channelIndex: number, choice: WindowChoice, form: Form, options: CallOptions) {
    return this.#call('window', [channel(channelIndex, choice), choice, form], options);
  }

  async #call<M extends (keyof SessionAnswers & Method) | 'comingPlane'>(
    method: M,
    args: Args<M>,
    { signal, onPart }: WatchedOptions,
  ): Promise<Result<M>> {
    this.#assertOpen();
    const options = { signal: signal ?? this.#ending.signal, onPart };
    if (this.#generation === this.#host.generation) {
      try {
        return await this.#host.call(method, this.#info.sessionId, args, options);
      } catch (error) {
        if (!hasCode(error, 'session_not_found')) throw error;
      }
    }
    await this.#reopen(options);
    return this.#host.call(method, this.#info.sessionId, args, options);
  }

  /** Opens the files in another worker, after the one before was ended. */
  async #reopen(options: CallOptions): Promise<void> {
    this.#info = await this.#host.call('open', null, [this.#choice], options);
    this.#generation = this.#host.generation;
    this.onReopened?.(this.#info);
  }

  #assertOpen(): void {
    if (this.closed) throw new AcqClientError('closed', `${this.#info.source.name} was closed.`);
  }
}

function channel(channelIndex: number, { t, z }: PlanePlace): AskedPlane {
  return { kind: 'channel', channelIndex, ...(t === undefined ? {} : { t }), ...(z === undefined ? {} : { z }) };
}

/** Copies samples of the same type to `at` of others. */
function copyBytes(samples: NativeSamples, target: NativeSamples, at: number): void {
  const bytes = new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength);
  new Uint8Array(target.buffer).set(bytes, target.byteOffset + at * samples.BYTES_PER_ELEMENT);
}

function toFloat32(samples: Result<'plane'>): Float32Array<ArrayBuffer> {
  if (samples instanceof Float32Array) return samples;
  throw new TypeError(`expected float32, not ${samples.constructor.name}`);
}
