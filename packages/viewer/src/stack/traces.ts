/** Means of regions over the time points, the sections or the lines of an acquisition. The server reads the planes. */

import { effect, type ReadonlySignal, type Signal, signal } from '@preact/signals';
import { average, baselineOf, parseBaseline } from '../analysis/baseline.ts';
import { planeAxes, rowsOf } from '../image/plane-axes.ts';
import { createLatest } from '../measure/latest.ts';
import { markBounds } from '../measure/mark-region.ts';
import type { AcquisitionDocument, Baseline, ChannelView, Mark, Pane } from '../model/document.ts';
import { isArea } from '../model/mark-kind.ts';
import type { MeasuredAxis } from '../model/measured-axis.ts';
import { messageOf } from '../model/message-of.ts';
import { pausedLayout, type RowLayout } from '../model/row-layout.ts';
import { documentAxis, type Place, planePlace, type StackDim, stackDims } from './place.ts';
import { traceRequests } from './trace-regions.ts';

/** `Y`: along the lines of a line scan, or the rows of an image. */
export type TraceDim = StackDim | 'Y';

export interface Trace {
  readonly mark: Mark;
  readonly channel: ChannelView;
  readonly values: Float32Array | Float64Array;
}

export interface Traces {
  readonly along: TraceDim;
  readonly traces: readonly Trace[];
}

/** Returns F₀ of a trace; for a baseline that is a region, the mean of the trace of that region in the same channel. */
export function traceBaseline({ values, channel }: Trace, all: readonly Trace[], baseline: Baseline): number {
  const source = parseBaseline(baseline);
  if (source?.kind !== 'mark') return baselineOf(values, baseline);
  const reference = all.find((trace) => trace.mark.id === source.id && trace.channel === channel);
  return reference === undefined ? Number.NaN : average(reference.values);
}

/** How traces are shown, of all acquisitions. */
export interface TraceSettings {
  readonly shown: Signal<boolean>;
  /** True for ΔF/F₀. */
  readonly relative: Signal<boolean>;
  /** True for a chart of all regions instead of one for each. */
  readonly overlaid: Signal<boolean>;
}

/** How the traces of one acquisition are read. */
export interface TraceReading {
  readonly busy: Signal<boolean>;
  /** True while the recording is followed: traces that could not be read stay until its planes are opened again. */
  readonly isLive: Signal<boolean>;
}

export function createTraceReading(): TraceReading {
  return { busy: signal(false), isLive: signal(false) };
}

/** Milliseconds without a change before traces are read: each of them may need every plane of the file. */
const DELAY = 200;

/** Returns what traces of an acquisition run along; null for a single image. */
export function traceDirection({ info, source }: AcquisitionDocument): TraceDim | null {
  const [dim] = stackDims(info.value);
  if (dim !== undefined) return dim;
  return source.value.lineScan ? 'Y' : null;
}

export interface TraceAxis {
  readonly size: number;
  readonly step: number;
  readonly unit: string;
  readonly calibrated: boolean;
  /** `time`, `z` */
  readonly quantity: string;
  /** `time point`, `section`, `line` */
  readonly sample: string;
  /** Number of the first sample on screen and in files. */
  readonly first: number;
  /** Where the samples lie one by one; null when they are `step` apart. */
  readonly measured: MeasuredAxis | null;
  /** How lines, or time points with pauses between them, lie; null where they are evenly spaced, and for sections. */
  readonly rows: RowLayout | null;
}

export function traceAxis(document: AcquisitionDocument, along: TraceDim): TraceAxis {
  if (along === 'Y') {
    const pane = document.source.value;
    const { row } = planeAxes(pane);
    return { ...row, rows: rowsOf(pane), sample: row.sample === 'line' ? 'line' : 'row', first: 0 };
  }
  const { size, step, unit, measured } = documentAxis(document, along);
  return {
    size,
    step: step ?? 1,
    unit,
    calibrated: step !== null,
    quantity: along === 'T' ? 'time' : 'z',
    sample: along === 'T' ? 'time point' : 'section',
    first: 1,
    measured,
    rows: along === 'T' ? pausedLayout(measured) : null,
  };
}

interface TracesRequest {
  readonly along: TraceDim;
  readonly marks: readonly Mark[];
  readonly channels: readonly ChannelView[];
  readonly place: Place;
}

interface TraceFollower {
  readonly traces: Signal<Traces | null>;
  /** Why there are no traces; empty when there are, or soon will be. */
  readonly failure: Signal<string>;
  stop(): void;
}

/**
 * Follows the regions, the visible channels, and the place in the other dimension. Along `Y` a region takes part with
 * its columns, and with all lines.
 */
export function followTraces(
  document: AcquisitionDocument,
  wanted: ReadonlySignal<Place>,
  { busy, isLive }: TraceReading,
): TraceFollower {
  const traces = signal<Traces | null>(null);
  const failure = signal('');
  const latest = createLatest<TracesRequest | null>(async (wish, stopped) => {
    if (wish === null || wish.marks.length === 0 || wish.channels.length === 0) {
      traces.value = null;
      return;
    }
    busy.value = true;
    try {
      traces.value = await read(document, wish, stopped);
      failure.value = '';
    } catch (error) {
      if (stopped.aborted) throw error;
      if (isLive.peek() && traces.peek() !== null) return;
      traces.value = null;
      failure.value = messageOf(error);
    } finally {
      busy.value = false;
    }
  });
  let timer: ReturnType<typeof setTimeout> | undefined;
  let last = '';
  const stopEffect = effect(() => {
    const wish = wishOf(document, wanted.value);
    const { opened } = document;
    // Names, comments and contrast of marks and channels change nothing.
    const key = JSON.stringify([opened.value.info.sessionId, wish && keyOf(document.source.value, wish)]);
    if (key === last) return;
    last = key;
    clearTimeout(timer);
    timer = setTimeout(() => latest.request(wish), DELAY);
  });
  return {
    traces,
    failure,
    stop() {
      stopEffect();
      clearTimeout(timer);
      latest.stop();
      busy.value = false;
    },
  };
}

/** Reads the traces once; null where there is no region or nothing to go along. */
export async function readTraces(
  document: AcquisitionDocument,
  place: Place,
  signal: AbortSignal,
): Promise<Traces | null> {
  const wish = wishOf(document, place);
  return wish === null || wish.marks.length === 0 || wish.channels.length === 0 ? null : read(document, wish, signal);
}

function wishOf(document: AcquisitionDocument, wanted: Place): TracesRequest | null {
  const along = traceDirection(document);
  if (along === null) return null;
  const { marks, channels } = document.source.value;
  return {
    along,
    marks: marks.value.filter(({ kind }) => isArea(kind)),
    channels: channels.filter(({ display }) => display.value.visible),
    place: along === 'Y' ? wanted : { ...wanted, [along]: 0 },
  };
}

function keyOf(pane: Pane, { along, marks, channels, place }: TracesRequest): unknown {
  return [
    along,
    place,
    // Along the lines only the columns of a region count.
    marks.map((mark) => {
      const { id, kind, from, via, to } = mark;
      return along === 'Y' ? [id, markBounds(mark, pane.shape).columns] : [id, kind, from, via, to, pane.shape];
    }),
    channels.map(({ index }) => index),
  ];
}

async function read(document: AcquisitionDocument, wish: TracesRequest, signal: AbortSignal): Promise<Traces> {
  const { along, marks, channels, place } = wish;
  const pane = document.source.peek();
  const requests = traceRequests(marks, pane.shape, along === 'Y');
  const { t, z } = planePlace(document.info.peek(), place);
  const choice = {
    along,
    ...(t === undefined || along === 'T' ? {} : { t }),
    ...(z === undefined || along === 'Z' ? {} : { z }),
  };
  const traces: Trace[] = [];
  for (const channel of channels) {
    let first = 0;
    for (const part of requests) {
      const { shape, samples } = await document.opened
        .peek()
        .traces(channel.index, { ...choice, regions: part }, { signal });
      const [, length = 0] = shape;
      marks.slice(first, first + part.length).forEach((mark, i) => {
        traces.push({ mark, channel, values: samples.subarray(i * length, (i + 1) * length) });
      });
      first += part.length;
    }
  }
  return { along, traces };
}
