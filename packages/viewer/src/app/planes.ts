/** Loads the planes of an acquisition, a few at a time, and shows each as soon as it has arrived. */

import { AcqClientError } from '@acquisition-store/client';
import { batch, effect } from '@preact/signals';
import { giveRange, hasGivenRange } from '../contrast/adjust.ts';
import type { OpenedAcquisition } from '../model/client.ts';
import type { AcquisitionDocument, ChannelView, Pane } from '../model/document.ts';
import type { FarPlane } from '../model/far-plane.ts';
import type { Samples } from '../model/samples.ts';
import type { Cells } from '../render/cells.ts';
import { type Place, placeOf, planePlace, samePlace } from '../stack/place.ts';
import { ComingRows } from './coming-rows.ts';
import { openFarPlane, overviewBytes } from './far-plane.ts';
import { type FetchOptions, fetchPlane, type PlaneRequest, sampleBytes } from './fetch-plane.ts';
import { firstRange } from './first-range.ts';
import { isAbort } from './notices.ts';
import { planeLimit } from './plane-limit.ts';
import type { Task } from './tasks.ts';

/** Parallel transfers: a browser allows six connections per server, and the rest of the page needs some of them. */
const MAX_TRANSFERS = 3;

interface MissingPlane {
  readonly pane: Pane;
  readonly channel: ChannelView;
}

type Report = (missing: MissingPlane, bytes: number) => void;

/** Channels whose contrast was already chosen, by a link or by the user. */
export type Settled = ReadonlySet<ChannelView>;

/**
 * Loads every plane that is missing. A failure is stored in the load state of its channel and does not stop the others.
 * @throws the reason of the task's signal, after all transfers have ended
 */
export async function loadPlanes(document: AcquisitionDocument, task: Task, settled: Settled): Promise<void> {
  const place = placeOf(document.info.value);
  const acquisition = document.opened.value;
  const queue = missingPlanes(document);
  const bytesOf = ({ pane }: MissingPlane) =>
    isFar(acquisition, pane) ? overviewBytes(pane.shape) : planeBytes(acquisition, pane);
  const total = queue.reduce((sum, missing) => sum + bytesOf(missing), 0);
  const received = new Map<ChannelView, number>();
  const report: Report = (missing, bytes) => {
    const { channel } = missing;
    // Progress of an older selection must not show up in the newer one.
    if (task.signal.aborted) return;
    received.set(channel, bytes);
    channel.load.value = { state: 'loading', received: bytes, total: bytesOf(missing) };
    task.progress.value = { received: [...received.values()].reduce((sum, count) => sum + count, 0), total };
  };
  const work = async () => {
    for (let next = queue.shift(); next && !task.signal.aborted; next = queue.shift()) {
      await loadOne(document, place, next, task.signal, report, settled);
    }
  };
  await Promise.all(Array.from({ length: MAX_TRANSFERS }, work));
  task.signal.throwIfAborted();
}

/** Marks the planes that have not arrived as canceled. */
export function markCanceled(document: AcquisitionDocument): void {
  for (const { channel } of missingPlanes(document)) channel.load.value = CANCELED;
}

const CANCELED = { state: 'failed', code: 'cancelled', message: 'Loading was canceled.' } as const;

/** Returns the channels whose samples of the current selection have not been loaded. */
export function missingPlanes(document: AcquisitionDocument): MissingPlane[] {
  const panes = [document.source.value, document.reference.value].filter((pane) => pane !== null);
  return panes.flatMap((pane) =>
    pane.channels.filter(({ load }) => load.value.state !== 'ready').map((channel) => ({ pane, channel })),
  );
}

/** Returns the time point and section when they are not those that the session was opened with. */
function movedPlace({ opened, info }: AcquisitionDocument, pane: Pane, place: Place) {
  if (pane.kind === 'reference' || samePlace(place, placeOf(opened.value.info))) return {};
  return planePlace(info.value, place);
}

/** Bytes of a plane in this page. */
function planeBytes(acquisition: OpenedAcquisition, { kind, shape }: Pick<Pane, 'kind' | 'shape'>): number {
  return shape[0] * shape[1] * sampleBytes(acquisition, kind);
}

/** True when the server keeps the plane, and the page gets parts of it. */
export function isFar(acquisition: OpenedAcquisition, plane: Pick<Pane, 'kind' | 'shape'>): boolean {
  return plane.kind === 'source' && planeBytes(acquisition, plane) > planeLimit();
}

/** A plane as the page holds it: its samples, or parts of it where it is too large. */
export interface LoadedPlane {
  readonly data: Samples | null;
  readonly far: FarPlane | null;
}

/** @throws AcqClientError, or the reason of the signal */
export async function readPlane(
  acquisition: OpenedAcquisition,
  pane: Pick<Pane, 'kind' | 'shape'>,
  request: PlaneRequest,
  options: FetchOptions & { readonly signal: AbortSignal },
): Promise<LoadedPlane> {
  return isFar(acquisition, pane)
    ? { data: null, far: await openFarPlane(acquisition, request, pane.shape, options.signal) }
    : { data: await fetchPlane(acquisition, request, options), far: null };
}

async function loadOne(
  document: AcquisitionDocument,
  place: Place,
  missing: MissingPlane,
  signal: AbortSignal,
  report: Report,
  settled: Settled,
): Promise<void> {
  const { pane, channel } = missing;
  // The user has moved to another time point or section, whose planes are shown by then.
  if (pane.kind === 'source' && !samePlace(place, placeOf(document.info.value))) return;
  report(missing, 0);
  const moved = pane.kind === 'source' ? abortWhenMoved(document, place) : null;
  const both = moved === null ? signal : AbortSignal.any([signal, moved.signal]);
  let isGiven = false;
  const begin = (samples: Samples) => {
    // The user may choose a range while rows are still coming.
    if (settled.has(channel) || (isGiven && !hasGivenRange(channel))) return;
    setFirstRange(missing, samples);
    isGiven = true;
  };
  const coming = new ComingRows(channel, pane.shape, begin);
  const options = {
    signal: both,
    onStart: coming.start,
    onProgress: ({ received }: { received: number }) => {
      report(missing, received);
      if (!both.aborted) coming.arrived(received);
    },
  };
  try {
    const request = { kind: pane.kind, channel: channel.index, ...movedPlace(document, pane, place) };
    const { data, far } = await readPlane(document.opened.value, pane, request, options);
    if (both.aborted) return far?.release();
    const first = data ?? (far!.parts.peek()[0]!.data as Cells).mean;
    batch(() => {
      begin(first);
      coming.stop();
      channel.far.value?.release();
      channel.far.value = far;
      channel.data.value = data;
      channel.load.value = { state: 'ready' };
    });
  } catch (error) {
    if (isAbort(error) || both.aborted) return;
    const { code, message } = error instanceof AcqClientError ? error : { code: 'page_error', message: String(error) };
    channel.load.value = { state: 'failed', code, message };
  } finally {
    coming.stop();
    moved?.stop();
  }
}

function setFirstRange({ pane, channel }: MissingPlane, samples: Samples): void {
  giveRange(channel, channel.fileRange ?? firstRange(samples, pane.colorImage));
}

/** Aborts when the user moves to another time point or section. */
function abortWhenMoved({ info }: AcquisitionDocument, place: Place): { signal: AbortSignal; stop(): void } {
  const controller = new AbortController();
  const stop = effect(() => {
    if (!samePlace(place, placeOf(info.value))) controller.abort();
  });
  return { signal: controller.signal, stop };
}
