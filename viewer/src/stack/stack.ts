/** The time points and sections of one acquisition: what is wanted, what is shown, and the planes between them. */
import { batch, effect, type ReadonlySignal, type Signal, signal } from '@preact/signals';
import type { AcquisitionDocument, ChannelView } from '../model/document.ts';
import type { Samples } from '../model/samples.ts';
import { fileDims, type Place, placeOf, type StackDim, samePlace, stackAxis, stackDims } from './place.ts';
import { cacheBudget, PlaneCache } from './plane-cache.ts';
import { createPlayer, type Player } from './player.ts';
import { createScrubber } from './scrubber.ts';
import { createTraceSettings, type TraceSettings } from './traces.ts';

export interface StackWork {
  /** Reads a plane of a source channel. */
  read(channel: ChannelView, place: Place, signal: AbortSignal): Promise<Samples>;
  /** Opens the planes of a place that the server keeps because they are large. Returns false when that failed. */
  reopen(place: Place): Promise<boolean>;
  /** A plane could not be read. */
  suspect(error: unknown): void;
  /** The picture has not moved for a moment, and all channels are loaded. `moved` is aborted when it moves again. */
  rest(moved: AbortSignal): void;
}

export interface Stack {
  /** What the sliders show. The picture may still be on its way. */
  readonly wanted: ReadonlySignal<Place>;
  /** Why the wanted place is not on screen; null when it is, or soon will be. */
  readonly failure: ReadonlySignal<string | null>;
  /** Planes per second that were shown while playing; null at rest. */
  readonly shownRate: ReadonlySignal<number | null>;
  readonly player: Player;
  readonly traceSettings: TraceSettings;
  readonly cache: PlaneCache;
  /** Moves by the user, which end playing. The index is limited to the dimension. */
  go(dim: StackDim, index: number): void;
  /** Moves `by` planes from the wanted place. */
  step(dim: StackDim, by: number): void;
  toggle(dim: StackDim): void;
  /** The index of each dimension of the file that is wanted, or was before it was projected. */
  lastPlace(): Partial<Place>;
  /** True when the visible planes of an index have been read. */
  isLoaded(dim: StackDim, index: number): boolean;
  retry(): void;
  /** Lets go of all planes but the shown ones, and stops playing. */
  sleep(): void;
  dispose(): void;
}

/** Milliseconds without a new picture after which the planes are counted and the hidden channels are read. */
const REST = 250;
const AHEAD = 6;
const BEHIND = 2;

export function createStack(document: AcquisitionDocument, work: StackWork): Stack {
  const memory = (globalThis.navigator as { deviceMemory?: number } | undefined)?.deviceMemory;
  const cache = new PlaneCache(cacheBudget(memory));
  const wanted = signal(placeOf(document.info.peek()));
  const failure = signal<string | null>(null);
  const shownRate = signal<number | null>(null);
  const rate = countRate(shownRate);
  let direction: { readonly dim: StackDim; readonly sign: 1 | -1 } = { dim: 'T', sign: 1 };
  let resting: ReturnType<typeof setTimeout> | undefined;
  let completing: AbortController | null = null;
  /** Indices of projected dimensions before they were projected. */
  let before: { [D in StackDim]?: number } = {};
  /** True when planes were shown that have not been counted. */
  let moved = false;

  const info = () => document.info.peek();
  const size = (dim: StackDim) => stackAxis(info(), dim).size;
  const visible = () =>
    document.source
      .peek()
      .channels.filter(({ display }) => display.peek().visible)
      .map(({ index }) => index);

  /** Returns how dispensable a place is: its distance from the wanted one, twice as much behind as ahead. */
  function cost(place: Place): number {
    const { dim, sign } = direction;
    const other = dim === 'T' ? 'Z' : 'T';
    const along = (place[dim] - wanted.peek()[dim]) * sign;
    const wrapped = player.loop.peek() && along < 0 ? Math.min(-2 * along, along + size(dim)) : Math.abs(along);
    return wrapped + (place[other] === wanted.peek()[other] ? 0 : 1000);
  }

  function neighbors(place: Place): Place[] {
    const { dim, sign } = direction;
    const { channels, shape } = document.source.peek();
    const bytesOf = ({ data }: ChannelView) => data.peek()?.byteLength ?? 4 * shape[0] * shape[1];
    const pageBytes = channels.reduce((sum, channel) => sum + bytesOf(channel), 0);
    const room = Math.floor(cache.budget / Math.max(1, pageBytes)) - 2;
    const count = size(dim);
    const at = (by: number) => {
      const index = place[dim] + by * sign;
      const wraps = player.playing.peek() !== null && player.loop.peek();
      return wraps ? (index + count) % count : index;
    };
    const offsets = [
      ...Array.from({ length: AHEAD }, (_, i) => i + 1),
      ...Array.from({ length: BEHIND }, (_, i) => -i - 1),
    ];
    return offsets
      .slice(0, Math.max(0, room))
      .map(at)
      .filter((index) => index >= 0 && index < count && index !== place[dim])
      .map((index) => ({ ...place, [dim]: index }));
  }

  async function readChannels(channels: readonly ChannelView[], place: Place, stopped: AbortSignal): Promise<void> {
    const { opened } = document;
    const acquisition = opened.peek();
    await Promise.all(
      channels.map(async (channel) => {
        if (cache.has([channel.index], place)) return;
        const samples = await work.read(channel, place, stopped);
        // Another scene may have been opened in the meantime.
        if (opened.peek() === acquisition && !stopped.aborted) cache.put(channel.index, place, samples, cost);
      }),
    );
  }

  const scrubber = createScrubber({
    isLoaded: (place) => cache.has(visible(), place),
    load: (place, stopped) => {
      const shown = visible();
      const channels = document.source.peek().channels.filter(({ index }) => shown.includes(index));
      return readChannels(channels, place, stopped);
    },
    show,
    fail(place, error) {
      player.pause();
      failure.value = messageOf(error);
      if (samePlace(place, wanted.peek())) work.suspect(error);
    },
    neighbors,
  });

  function show(place: Place): void {
    completing?.abort();
    batch(() => {
      for (const channel of document.source.peek().channels) {
        const samples = cache.find(channel.index, place) ?? null;
        channel.data.value = samples;
        channel.load.value = samples === null ? { state: 'waiting' } : { state: 'ready' };
      }
      const { selection } = info();
      const next = Object.fromEntries(stackDims(info()).map((dim) => [dim, place[dim]]));
      document.info.value = { ...info(), selection: { ...selection, ...next } };
      if (samePlace(place, wanted.peek())) failure.value = null;
    });
    rate.count();
    moved = true;
    clearTimeout(resting);
    resting = setTimeout(() => void settle(), REST);
  }

  /** Reads the hidden channels of the shown place. */
  async function settle(): Promise<void> {
    if (!moved || player.playing.peek() !== null) return;
    moved = false;
    const controller = new AbortController();
    completing = controller;
    const place = placeOf(info());
    const missing = document.source.peek().channels.filter(({ data }) => data.peek() === null);
    try {
      await readChannels(missing, place, controller.signal);
    } catch (error) {
      if (controller.signal.aborted) return;
      for (const { load } of missing) load.value = { state: 'failed', code: codeOf(error), message: messageOf(error) };
      work.suspect(error);
    }
    if (controller.signal.aborted) return;
    for (const channel of missing) {
      const samples = cache.find(channel.index, place);
      if (samples === undefined) continue;
      channel.data.value = samples;
      channel.load.value = { state: 'ready' };
    }
    work.rest(controller.signal);
  }

  function want(dim: StackDim, index: number): void {
    const place = wanted.peek();
    const next = Math.min(size(dim) - 1, Math.max(0, Math.round(index)));
    const by = next - place[dim];
    if (by === 0 && failure.peek() === null) return;
    const around = player.playing.peek() !== null && by < 0;
    if (by !== 0) direction = { dim, sign: by > 0 || around ? 1 : -1 };
    keepShown();
    wanted.value = { ...place, [dim]: next };
    failure.value = null;
    if (isFar()) void reopen(wanted.peek());
    else scrubber.want(wanted.peek());
  }

  function isFar(): boolean {
    return document.source.peek().channels.some(({ far }) => far.peek() !== null);
  }

  async function reopen(place: Place): Promise<void> {
    player.pause();
    const opened = await work.reopen(place);
    if (!opened && samePlace(place, wanted.peek())) wanted.value = placeOf(info());
  }

  /** The planes that the acquisition was opened with are a place like any other. */
  function keepShown(): void {
    const place = placeOf(info());
    for (const { index, data, load } of document.source.peek().channels) {
      const samples = data.peek();
      const ready = samples !== null && load.peek().state === 'ready';
      if (ready && cache.find(index, place) === undefined) cache.put(index, place, samples, cost);
    }
  }

  const player = createPlayer({
    size,
    index: (dim) => wanted.peek()[dim],
    go: want,
    arrived: () => samePlace(placeOf(info()), wanted.peek()),
    recorded(dim) {
      const { step, unit } = stackAxis(info(), dim);
      return step !== null && unit === 'seconds' ? 1 / step : null;
    },
  });

  function reset(): void {
    player.pause();
    scrubber.stop();
    clearTimeout(resting);
    completing?.abort();
    cache.clear();
    const projected = fileDims(info()).filter((dim) => info().projection?.[dim] !== undefined);
    for (const dim of projected) if (!(dim in before)) before[dim] = wanted.peek()[dim];
    if (projected.length === 0) before = {};
    wanted.value = placeOf(info());
    failure.value = null;
  }

  // Another scene, other channels or a projection: planes of a new session.
  const stopFollowing = effect(() => {
    document.opened.value;
    reset();
  });
  const stopPausing = effect(() => {
    if (player.playing.value === null) {
      rate.stop();
      clearTimeout(resting);
      resting = setTimeout(() => void settle(), REST);
    } else rate.start();
  });

  return {
    wanted,
    failure,
    shownRate,
    player,
    traceSettings: createTraceSettings(),
    cache,
    go(dim, index) {
      if (!Number.isFinite(index)) return;
      player.pause();
      want(dim, index);
    },
    step(dim, by) {
      player.pause();
      want(dim, wanted.peek()[dim] + by);
    },
    toggle(dim) {
      if (player.playing.peek() === dim) player.pause();
      else player.play(dim);
    },
    lastPlace: () => Object.fromEntries(fileDims(info()).map((dim) => [dim, before[dim] ?? wanted.peek()[dim]])),
    isLoaded: (dim, index) => cache.has(visible(), { ...wanted.value, [dim]: index }),
    retry() {
      failure.value = null;
      scrubber.retry();
    },
    sleep() {
      player.pause();
      scrubber.stop();
      cache.clear();
    },
    dispose() {
      stopFollowing();
      stopPausing();
      reset();
    },
  };
}

/** Counts pictures, and tells twice a second how many there were in a second. */
function countRate(shown: Signal<number | null>): { count(): void; start(): void; stop(): void } {
  let pictures = 0;
  let since = 0;
  let timer: ReturnType<typeof setInterval> | undefined;
  return {
    count() {
      pictures += 1;
    },
    start() {
      clearInterval(timer);
      [pictures, since] = [0, performance.now()];
      timer = setInterval(() => {
        const now = performance.now();
        shown.value = (1000 * pictures) / (now - since);
        [pictures, since] = [0, now];
      }, 500);
    },
    stop() {
      clearInterval(timer);
      shown.value = null;
    },
  };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function codeOf(error: unknown): string {
  const { code } = error as { code?: unknown };
  return typeof code === 'string' ? code : 'page_error';
}
