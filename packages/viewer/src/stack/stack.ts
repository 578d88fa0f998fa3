/** The time points and sections of one acquisition: what is wanted, what is shown, and the planes between them. */

import { batch, effect, type ReadonlySignal, signal } from '@preact/signals';
import type { AcquisitionDocument, ChannelView } from '../model/document.ts';
import { messageOf } from '../model/message-of.ts';
import type { Samples } from '../model/samples.ts';
import { followMeasured } from './measured.ts';
import { fileDims, type Place, placeOf, type StackDim, samePlace, selectionAt, stackAxis, stackDims } from './place.ts';
import { cacheBudget, PlaneCache } from './plane-cache.ts';
import { createPlayer, type Player } from './player.ts';
import { costOf, type Movement, placesAhead } from './reach.ts';
import { recordedWait } from './real-time.ts';
import { createScrubber, type Scrubber } from './scrubber.ts';
import { ShownRate } from './shown-rate.ts';
import { createTraceReading, type TraceReading } from './traces.ts';

export interface StackWork {
  /** Reads a plane of a source channel. */
  read(channel: ChannelView, place: Place, signal: AbortSignal): Promise<Samples>;
  /** Opens the planes of a place that the server keeps because they are large. Returns false when that failed. */
  reopen(place: Place): Promise<boolean>;
  /** A plane could not be read. Returns true when the file is about to be opened again, which reads it again. */
  suspect(error: unknown): boolean;
  /** The picture has not moved for a moment, and all channels are loaded. `moved` is aborted when it moves again. */
  rest(moved: AbortSignal): void;
}

export interface PlaneFailure {
  readonly code: string;
  readonly message: string;
}

/** Milliseconds without a new picture after which the planes are counted and the hidden channels are read. */
const REST = 250;

export class Stack {
  readonly cache: PlaneCache;
  readonly player: Player;
  readonly traceReading: TraceReading = createTraceReading();
  readonly #document: AcquisitionDocument;
  readonly #work: StackWork;
  readonly #scrubber: Scrubber;
  readonly #wanted;
  readonly #failure = signal<PlaneFailure | null>(null);
  readonly #rate = new ShownRate();
  readonly #stops: (() => void)[];
  #direction: Pick<Movement, 'dim' | 'sign'> = { dim: 'T', sign: 1 };
  /** Indices of projected dimensions before they were projected. */
  #before: { [D in StackDim]?: number } = {};
  /** The dimension whose planes are all kept. */
  #held: StackDim | null = null;
  /** True when planes were shown that have not been counted. */
  #moved = false;
  #resting: ReturnType<typeof setTimeout> | undefined;
  #completing: AbortController | null = null;

  constructor(document: AcquisitionDocument, work: StackWork) {
    this.#document = document;
    this.#work = work;
    this.#wanted = signal(placeOf(document.info.peek()));
    const memory = (globalThis.navigator as { deviceMemory?: number } | undefined)?.deviceMemory;
    this.cache = new PlaneCache(cacheBudget(memory));
    this.player = createPlayer({
      size: (dim) => this.#size(dim),
      index: (dim) => this.#wanted.peek()[dim],
      go: (dim, index) => this.#want(dim, index),
      arrived: () => samePlace(this.#shown(), this.#wanted.peek()),
      recorded: (dim, index) => recordedWait(this.#axis(dim), index),
    });
    this.#scrubber = createScrubber({
      isLoaded: (place) => this.cache.has(this.#visible(), place),
      load: (place, stopped) => this.#read(this.#visibleChannels(), place, stopped),
      show: (place) => this.#show(place),
      fail: (_place, error) => this.#fail(error),
      neighbors: (place) => placesAhead(place, this.#movement(), this.#roomForPlaces()),
    });
    this.#stops = [
      followMeasured(document),
      // Another scene, other channels or a projection: planes of a new session.
      effect(() => {
        document.opened.value;
        this.#reset();
      }),
      effect(() => {
        if (this.player.playing.value !== null) return this.#rate.start();
        this.#rate.stop();
        this.#settleLater();
      }),
    ];
  }

  /** What the sliders show. The picture may still be on its way. */
  get wanted(): ReadonlySignal<Place> {
    return this.#wanted;
  }

  /** Why the wanted place is not on screen; null when it is, or soon will be. */
  get failure(): ReadonlySignal<PlaneFailure | null> {
    return this.#failure;
  }

  /** Planes per second that are shown while playing; null at rest. */
  get shownRate(): ReadonlySignal<number | null> {
    return this.#rate.perSecond;
  }

  /** Moves to an index, which is limited to the dimension, and ends playing. */
  go(dim: StackDim, index: number): void {
    if (!Number.isFinite(index)) return;
    this.player.pause();
    this.#want(dim, index);
  }

  /** Moves `by` planes from the wanted place, and ends playing. */
  step(dim: StackDim, by: number): void {
    this.go(dim, this.#wanted.peek()[dim] + by);
  }

  /** Plays a dimension, or stops playing it. */
  toggle(dim: StackDim): void {
    if (this.player.playing.peek() === dim) this.player.pause();
    else this.player.play(dim);
  }

  /** Returns the index of each dimension of the file that is wanted, or was before it was projected. */
  lastPlace(): Partial<Place> {
    const place = this.#wanted.peek();
    return Object.fromEntries(fileDims(this.#info()).map((dim) => [dim, this.#before[dim] ?? place[dim]]));
  }

  /** Returns the indices whose visible planes have been read. */
  loadedIndices(dim: StackDim): number[] {
    const visible = this.#visible();
    const place = this.#wanted.value;
    const indices = Array.from({ length: this.#size(dim) }, (_, index) => index);
    return indices.filter((index) => this.cache.has(visible, { ...place, [dim]: index }));
  }

  /**
   * Keeps the planes along a dimension in memory while others are read; null keeps none. Returns false when those of the
   * visible channels do not fit.
   */
  hold(dim: StackDim | null): boolean {
    const fits = dim !== null && (this.#size(dim) + 2) * this.#placeBytes(this.#visibleChannels()) <= this.cache.budget;
    this.#held = fits ? dim : null;
    return fits;
  }

  /** Reads the planes of the visible channels at a place that are not in memory. @throws what reading them throws */
  async readPlace(place: Place, stopped: AbortSignal): Promise<void> {
    this.#keepShown();
    await this.#read(this.#visibleChannels(), place, stopped);
  }

  /** Reads the wanted place again after a failure. */
  retry(): void {
    this.#failure.value = null;
    this.#scrubber.retry();
  }

  /** Reads the hidden channels of planes that were put on screen, and has all channels counted, unless the user moves. */
  complete(): void {
    this.#moved = true;
    this.#settleLater();
  }

  /** Lets go of all planes but the shown ones, and stops playing. */
  sleep(): void {
    this.player.pause();
    this.#scrubber.stop();
    this.cache.clear();
    this.#wanted.value = this.#shown();
  }

  dispose(): void {
    for (const stop of this.#stops) stop();
    this.#reset();
  }

  #info() {
    return this.#document.info.peek();
  }

  #shown(): Place {
    return placeOf(this.#info());
  }

  #channels(): readonly ChannelView[] {
    return this.#document.source.peek().channels;
  }

  #visibleChannels(): ChannelView[] {
    return this.#channels().filter(({ display }) => display.peek().visible);
  }

  #visible(): number[] {
    return this.#visibleChannels().map(({ index }) => index);
  }

  #size(dim: StackDim): number {
    return this.#axis(dim).size;
  }

  #axis(dim: StackDim) {
    return stackAxis(this.#info(), dim, this.#document.measured.peek());
  }

  #movement(): Movement {
    const wraps = this.player.playing.peek() !== null && this.player.loop.peek();
    return { ...this.#direction, size: this.#size(this.#direction.dim), wraps };
  }

  /** Returns the number of places that fit into the cache beside the wanted one and the shown one. */
  #roomForPlaces(): number {
    const room = Math.floor(this.cache.budget / this.#placeBytes(this.#channels())) - 2;
    return this.#held === null ? room : room - this.#size(this.#held);
  }

  /** Bytes of the planes of some channels at one place. */
  #placeBytes(channels: readonly ChannelView[]): number {
    const { shape } = this.#document.source.peek();
    const bytesOf = ({ data }: ChannelView) => data.peek()?.byteLength ?? 4 * shape[0] * shape[1];
    return Math.max(
      1,
      channels.reduce((sum, channel) => sum + bytesOf(channel), 0),
    );
  }

  #keep(channel: number, place: Place, samples: Samples): void {
    const along = this.#held === null ? {} : { dim: this.#held, size: this.#size(this.#held), wraps: false };
    const movement = { ...this.#movement(), ...along };
    this.cache.put(channel, place, samples, (other) => costOf(other, this.#wanted.peek(), movement));
  }

  async #read(channels: readonly ChannelView[], place: Place, stopped: AbortSignal): Promise<void> {
    const { opened } = this.#document;
    const acquisition = opened.peek();
    await Promise.all(
      channels.map(async (channel) => {
        if (this.cache.has([channel.index], place)) return;
        const samples = await this.#work.read(channel, place, stopped);
        // Another scene may have been opened in the meantime.
        if (opened.peek() === acquisition && !stopped.aborted) this.#keep(channel.index, place, samples);
      }),
    );
  }

  #want(dim: StackDim, index: number): void {
    const place = this.#wanted.peek();
    const next = Math.min(this.#size(dim) - 1, Math.max(0, Math.round(index)));
    const by = next - place[dim];
    if (by === 0 && this.#failure.peek() === null) return;
    const around = this.player.playing.peek() !== null && by < 0;
    if (by !== 0) this.#direction = { dim, sign: by > 0 || around ? 1 : -1 };
    this.#keepShown();
    this.#wanted.value = { ...place, [dim]: next };
    this.#failure.value = null;
    if (this.#isFar()) void this.#reopen(this.#wanted.peek());
    else this.#scrubber.want(this.#wanted.peek());
  }

  #isFar(): boolean {
    return this.#channels().some(({ far }) => far.peek() !== null);
  }

  async #reopen(place: Place): Promise<void> {
    this.player.pause();
    const opened = await this.#work.reopen(place);
    if (!opened && samePlace(place, this.#wanted.peek())) this.#wanted.value = this.#shown();
  }

  /** The planes that the acquisition was opened with are a place like any other. */
  #keepShown(): void {
    const place = this.#shown();
    for (const { index, data, load } of this.#channels()) {
      const samples = data.peek();
      const ready = samples !== null && load.peek().state === 'ready';
      if (ready && this.cache.find(index, place) === undefined) this.#keep(index, place, samples);
    }
  }

  #show(place: Place): void {
    this.#completing?.abort();
    batch(() => {
      for (const { index, data, load } of this.#channels()) {
        const samples = this.cache.find(index, place) ?? null;
        data.value = samples;
        load.value = samples === null ? { state: 'waiting' } : { state: 'ready' };
      }
      const info = this.#info();
      this.#document.info.value = { ...info, selection: selectionAt(info, place) };
      if (samePlace(place, this.#wanted.peek())) this.#failure.value = null;
    });
    this.#rate.count();
    this.#moved = true;
    this.#settleLater();
  }

  #fail(error: unknown): void {
    this.player.pause();
    if (!this.#work.suspect(error)) this.#failure.value = { code: codeOf(error), message: messageOf(error) };
    this.#settleLater();
  }

  #settleLater(): void {
    clearTimeout(this.#resting);
    this.#resting = setTimeout(() => void this.#settle(), REST);
  }

  /** Reads the hidden channels of the shown place, and has all channels counted. */
  async #settle(): Promise<void> {
    if (!this.#moved || this.player.playing.peek() !== null) return;
    // Planes that come slowly are no rest.
    if (this.#failure.peek() === null && !samePlace(this.#shown(), this.#wanted.peek())) return;
    this.#moved = false;
    const controller = new AbortController();
    this.#completing = controller;
    const place = this.#shown();
    const missing = this.#channels().filter(({ data }) => data.peek() === null);
    try {
      await this.#read(missing, place, controller.signal);
    } catch (error) {
      if (controller.signal.aborted || this.#work.suspect(error)) return;
      const failed = { state: 'failed', code: codeOf(error), message: messageOf(error) } as const;
      for (const { load } of missing) load.value = failed;
    }
    if (controller.signal.aborted) return;
    for (const { index, data, load } of missing) {
      const samples = this.cache.find(index, place);
      if (samples === undefined) continue;
      data.value = samples;
      load.value = { state: 'ready' };
    }
    this.#work.rest(controller.signal);
  }

  #reset(): void {
    this.player.pause();
    this.#scrubber.stop();
    clearTimeout(this.#resting);
    this.#completing?.abort();
    this.cache.clear();
    const { projection } = this.#info();
    const projected = fileDims(this.#info()).filter((dim) => projection?.[dim] !== undefined);
    for (const dim of projected) this.#before[dim] ??= this.#wanted.peek()[dim];
    if (projected.length === 0) this.#before = {};
    // A projection has no sections to cut.
    const { orthogonal } = this.#document.source.peek();
    if (stackDims(this.#info()).length === 0 && orthogonal.peek().shown) {
      orthogonal.value = { ...orthogonal.peek(), shown: false };
    }
    this.#wanted.value = this.#shown();
    this.#failure.value = null;
  }
}

function codeOf(error: unknown): string {
  const { code } = error as { code?: unknown };
  return typeof code === 'string' ? code : 'page_error';
}
