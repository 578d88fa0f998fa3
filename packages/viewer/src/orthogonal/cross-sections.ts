/** Keeps the two cross-sections and the slab of the plane cut from what has been read. */
import { computed, effect, type ReadonlySignal } from '@preact/signals';
import type { Along } from '../analysis/profile.ts';
import { visibleChannels } from '../image/pane-state.ts';
import { repaint } from '../image/repaint.ts';
import type { AcquisitionDocument, ChannelView, Pane } from '../model/document.ts';
import { formatNumber } from '../model/number-text.ts';
import type { Samples } from '../model/samples.ts';
import { PLURALS, type Place, placeOf, samePlace } from '../stack/place.ts';
import type { Stack } from '../stack/stack.ts';
import { crossSample } from './cross.ts';
import type { CrossSectionLines } from './cross-section-lines.ts';
import type { Side } from './cross-section-pane.ts';
import { cutColumns, cutRows, maxOfPlanes } from './slices.ts';
import { slabAround, type ThirdAxis } from './third-axis.ts';

export interface CrossSection {
  readonly side: Side;
  readonly along: Along;
  readonly pane: Pane;
  readonly lines: CrossSectionLines;
  /** The rows of the plane, or its columns, that are cut. */
  readonly range: ReadonlySignal<readonly [first: number, end: number]>;
  /** Names what the lines are of. */
  readonly key: ReadonlySignal<string>;
}

/** What all parts of the orthogonal views work on. */
export interface Cut {
  readonly document: AcquisitionDocument;
  readonly source: Pane;
  readonly stack: Stack;
  readonly third: ThirdAxis;
}

/** Returns the rows of the plane that a cross-section along its columns is cut from, or the columns of one along its rows. */
export function sectionRange({ source }: Pick<Cut, 'source'>, along: Along): CrossSection['range'] {
  return computed(() => {
    const [rows, columns] = source.shape;
    const { row, column } = crossSample(source);
    const { slab } = source.orthogonal.value;
    return along === 'column' ? slabAround(row, slab, rows) : slabAround(column, slab, columns);
  });
}

export function sectionKey({ document, third }: Pick<Cut, 'document' | 'third'>, range: CrossSection['range']) {
  return computed(() => {
    const { T, Z } = placeOf(document.info.value);
    const { sessionId } = document.opened.value.info;
    return JSON.stringify([sessionId, third.dim === 'T' ? Z : T, ...range.value]);
  });
}

/** Returns the place of a section or time point beside the shown ones. */
export function placeAt({ document, third }: Pick<Cut, 'document' | 'third'>, index: number): Place {
  return { ...placeOf(document.info.value), [third.dim]: index };
}

/** Returns a plane that is in memory. */
export function planeAt({ document, stack }: Cut, channel: ChannelView, place: Place): Samples | undefined {
  // While another scene or a projection loads, the picture still shows a plane of the one before.
  const isOfSession = channel.load.value.state === 'ready' && samePlace(place, placeOf(document.info.value));
  const shown = isOfSession ? channel.data.value : null;
  return stack.cache.find(channel.index, place) ?? shown ?? undefined;
}

/** Cuts a cross-section again, in the next frame after a plane has come or the cross has moved. Returns a function that stops it. */
export function followSection(cut: Cut, section: CrossSection): () => void {
  let drawn = -1;
  return repaint(() => {
    void cut.stack.cache.version.value;
    const { lines, pane } = section;
    cutPlanes(cut, section);
    if (lines.version.value === drawn) return;
    drawn = lines.version.value;
    for (const { index, data } of pane.channels) data.value = lines.samples(index);
  });
}

/** Cuts a cross-section from all planes that are in memory. Reads signals. */
export function cutPlanes(cut: Cut, section: CrossSection): void {
  section.lines.begin(section.key.value);
  for (let index = 0; index < cut.third.size; index++) cutIndex(cut, section, index);
}

/** Cuts the line of an index, unless that was done. */
export function cutIndex(cut: Cut, { lines, range, along }: CrossSection, index: number): void {
  const { shape } = cut.source;
  const write = along === 'column' ? cutRows : cutColumns;
  for (const channel of visibleChannels(cut.source)) {
    if (lines.has(channel.index, index)) continue;
    const plane = planeAt(cut, channel, placeAt(cut, index));
    if (plane === undefined || plane.length !== shape[0] * shape[1]) continue;
    lines.put(channel.index, index, plane, (out, at) => write(plane, shape, range.value, out, at));
  }
}

/** Returns the planes in a slab around the shown one. Reads signals. */
export function slabRange({ document, source, third }: Cut): readonly [first: number, end: number] {
  return slabAround(placeOf(document.info.value)[third.dim], source.orthogonal.value.slab, third.size);
}

/** Shows the maximum of the neighboring planes in place of the plane. Returns a function that ends it. */
export function followSlab(cut: Cut): () => void {
  const { source, stack, third } = cut;
  const last = new Map<ChannelView, readonly Samples[]>();
  const clear = (channel: ChannelView) => {
    last.delete(channel);
    channel.slab.value = null;
  };
  const stop = effect(() => {
    void stack.cache.version.value;
    const range = slabRange(cut);
    const visible = visibleChannels(source);
    for (const channel of source.channels) {
      const planes = visible.includes(channel) ? slabPlanes(cut, channel, range) : [];
      if (planes.length === 0 || range[1] - range[0] < 2) clear(channel);
      else if (!sameList(planes, last.get(channel) ?? [])) {
        last.set(channel, planes);
        channel.slab.value = { samples: maxOfPlanes(planes), words: slabWords(planes.length, range, third.dim) };
      }
    }
  });
  return () => {
    stop();
    for (const channel of source.channels) clear(channel);
  };
}

function slabPlanes(cut: Cut, channel: ChannelView, [first, end]: readonly [number, number]): Samples[] {
  const size = channel.data.value?.length;
  const indices = Array.from({ length: end - first }, (_, i) => first + i);
  return indices.flatMap((index) => {
    const plane = planeAt(cut, channel, placeAt(cut, index));
    return plane?.length === size && plane !== undefined ? [plane] : [];
  });
}

function slabWords(count: number, [first, end]: readonly [number, number], dim: ThirdAxis['dim']): string {
  const all = formatNumber(end - first);
  return count === end - first
    ? `Maximum of ${all} ${PLURALS[dim]}`
    : `Maximum of ${formatNumber(count)} of ${all} ${PLURALS[dim]}, the others are not read`;
}

function sameList<T>(a: readonly T[], b: readonly T[]): boolean {
  return a.length === b.length && a.every((item, i) => item === b[i]);
}
