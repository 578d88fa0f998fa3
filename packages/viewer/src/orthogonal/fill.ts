/** Reads what the cross-sections need: whole planes while all of them fit into memory, otherwise their rows and columns. */

import { computed, effect, type ReadonlySignal, type Signal, signal } from '@preact/signals';
import { fetchWindow } from '../app/fetch-plane.ts';
import { visibleChannels } from '../image/pane-state.ts';
import { isLoaded } from '../model/document.ts';
import { messageOf } from '../model/message-of.ts';
import type { Samples } from '../model/samples.ts';
import { placeOf, planePlace, samePlace } from '../stack/place.ts';
import { type CrossSection, type Cut, cutIndex, cutPlanes, placeAt, slabRange } from './cross-sections.ts';
import { LatestReading, nearest, readNearest } from './reading.ts';
import { cutColumns, cutRows } from './slices.ts';

/** Rows or columns that are read for one cross-section at one place of the cross. */
const MAX_WINDOWS = 600;
/** Milliseconds without another place after which planes are read: a slider that moves asks for none. */
const DELAY = 120;

export interface Fill {
  /** True when only rows and columns are read, because the planes do not fit into memory. */
  readonly isPartial: ReadonlySignal<boolean>;
  /** True when a cross-section has more lines than are read at one place. */
  readonly isLimited: ReadonlySignal<boolean>;
  /** Why something could not be read; null when all was, or soon will be. */
  readonly failure: Signal<string | null>;
  retry(): void;
  stop(): void;
}

/** Follows the cross, the slab, the visible channels and the place in the other dimension. */
export function fillSections(cut: Cut, sections: readonly CrossSection[]): Fill {
  const { source, stack, third } = cut;
  const failure = signal<string | null>(null);
  const again = signal(0);
  const isPartial = signal(false);
  const planes = new LatestReading();
  const windows = sections.map(() => new LatestReading());
  const ready = computed(() => visibleChannels(source).every(isLoaded));
  const slab = computed(() => slabRange(cut).join());
  const fail = (error: unknown) => {
    failure.value = messageOf(error);
  };
  const read = () => {
    const fits = stack.hold(third.dim);
    isPartial.value = !fits;
    failure.value = null;
    const [first, end] = slab.peek().split(',').map(Number) as [number, number];
    const around = stack.wanted.peek()[third.dim];
    for (const section of sections) cutPlanes(cut, section);
    const channels = visibleChannels(source).map(({ index }) => index);
    const missing = new Set(sections.flatMap(({ lines }) => lines.missing(channels)));
    const needed = [...(fits ? missing : []), ...(end - first > 1 ? range(first, end) : [])];
    const key = `${planesKey(cut)} ${fits ? '' : slab.peek()}`;
    planes.start(key, (stopped) => readPlanes(cut, sections, needed, around, stopped), fail);
    if (fits) return;
    for (const [i, section] of sections.entries()) {
      windows[i]!.start(section.key.peek(), (stopped) => readLines(cut, section, around, stopped), fail);
    }
  };
  const stopEffect = effect(() => {
    void again.value;
    void slab.value;
    const key = sections.map((section) => section.key.value).join() + visibleChannels(source).length;
    if (!ready.value || key === '') return;
    const timer = setTimeout(read, DELAY);
    return () => clearTimeout(timer);
  });
  return {
    isPartial,
    isLimited: computed(() => isPartial.value && third.size * visibleChannels(source).length > MAX_WINDOWS),
    failure,
    retry: () => (again.value += 1),
    stop() {
      stopEffect();
      for (const reading of [planes, ...windows]) reading.stop();
      stack.hold(null);
    },
  };
}

const range = (first: number, end: number) => Array.from({ length: end - first }, (_, i) => first + i);

/** Names the planes of the cross-sections: those of one place in the other dimension, of the visible channels. */
function planesKey({ document, source, third }: Cut): string {
  const { T, Z } = placeOf(document.info.peek());
  const { sessionId } = document.opened.peek().info;
  return JSON.stringify([sessionId, third.dim === 'T' ? Z : T, visibleChannels(source).map(({ index }) => index)]);
}

/** Reads planes, and cuts them at once: a tab beside the active one does not keep them. */
async function readPlanes(
  cut: Cut,
  sections: readonly CrossSection[],
  indices: readonly number[],
  around: number,
  stopped: AbortSignal,
): Promise<void> {
  const { source, stack, document } = cut;
  const channels = visibleChannels(source).map(({ index }) => index);
  const missing = indices.map((index) => placeAt(cut, index)).filter((place) => !stack.cache.has(channels, place));
  const shown = placeOf(document.info.peek());
  const rest = missing.filter((place) => !samePlace(place, shown));
  const { dim } = cut.third;
  const places = new Map(rest.map((place) => [place[dim], place] as const));
  const read = async (index: number) => {
    await stack.readPlace(places.get(index)!, stopped);
    if (!stopped.aborted) for (const section of sections) cutIndex(cut, section, index);
  };
  await readNearest([...places.keys()], around, read, stopped);
}

/** Reads the rows or columns of one cross-section, the nearest to the shown plane first. */
async function readLines(cut: Cut, section: CrossSection, around: number, stopped: AbortSignal): Promise<void> {
  const { document, source } = cut;
  const { lines, along } = section;
  const key = section.key.peek();
  const [opened, info] = [document.opened.peek(), document.info.peek()];
  const channels = visibleChannels(source);
  lines.begin(key);
  const [rows, columns] = source.shape;
  const cutRange = section.range.peek();
  const region =
    along === 'column'
      ? { rows: cutRange, columns: [0, columns] as const }
      : { rows: [0, rows] as const, columns: cutRange };
  const missing = lines.missing(channels.map(({ index }) => index));
  const wanted = nearest(missing, around, Math.max(1, Math.floor(MAX_WINDOWS / channels.length)));
  const places = new Map(wanted.map((index) => [index, planePlace(info, placeAt(cut, index))] as const));
  const read = async (index: number) => {
    for (const { index: channel } of channels) {
      if (lines.has(channel, index)) continue;
      const part = await fetchWindow(opened, { kind: 'source', channel, ...places.get(index) }, region, stopped);
      if (lines.key !== key || stopped.aborted) return;
      const samples = part.data as Samples;
      const write = along === 'column' ? cutRows : cutColumns;
      const count = cutRange[1] - cutRange[0];
      lines.put(channel, index, samples, (out, at) => write(samples, part.shape, [0, count], out, at));
    }
  };
  await readNearest(wanted, around, read, stopped);
}
