/** Reads the measured times and depths of an acquisition, which are not in its open response. */

import { hasCode } from '@acquisition-store/client';
import type { OpenResponse } from '@acquisition-store/client/contract/open.js';
import { batch, effect } from '@preact/signals';
import type { OpenedAcquisition } from '../model/client.ts';
import type { AcquisitionDocument } from '../model/document.ts';
import { type MeasuredAxes, toMeasuredAxes } from '../model/measured-axis.ts';
import { messageOf } from '../model/message-of.ts';

/** Values that were read before their acquisition was shown. */
const known = new WeakMap<OpenedAcquisition, MeasuredAxes>();

/**
 * Reads the values of an acquisition that will be shown, so that they are on screen together with its planes. Mean steps
 * stand for those of a file that has changed since it was opened: it will be opened again.
 */
export async function readMeasured(opened: OpenedAcquisition, signal: AbortSignal): Promise<void> {
  if (opened.info.header.coordinates === undefined) return;
  const values = await opened.coordinates({ signal }).catch((error: unknown) => {
    if (!hasCode(error, 'source_changed')) throw error;
    return {};
  });
  known.set(opened, toMeasuredAxes(values));
}

/**
 * Follows what is opened in a document, and asks once for each scene. When the values cannot be read, the mean steps stay, and a warning says so.
 * @returns a function that stops it
 */
export function followMeasured(document: AcquisitionDocument): () => void {
  let reading = new AbortController();
  let last: { key: string; axes: MeasuredAxes } | undefined;
  const use = (axes: MeasuredAxes) =>
    batch(() => {
      document.measured.value = axes;
      document.source.peek().rowTimes.value = axes.Y ?? null;
    });
  const stop = effect(() => {
    const opened = document.opened.value;
    reading.abort();
    reading = new AbortController();
    const { signal } = reading;
    const key = sceneKey(opened.info);
    const axes = known.get(opened);
    if (axes !== undefined) last = { key, axes };
    use(last?.key === key ? last.axes : {});
    if (last?.key === key || opened.info.header.coordinates === undefined) return;
    opened.coordinates({ signal }).then(
      (values) => {
        if (signal.aborted) return;
        last = { key, axes: toMeasuredAxes(values) };
        use(last.axes);
      },
      (error: unknown) => {
        if (!signal.aborted) warn(document, error);
      },
    );
  });
  return () => {
    stop();
    reading.abort();
  };
}

/** Channels, time points and sections of a scene share its measured values. */
function sceneKey({ source: { path, revision }, header: { coordinates }, selection, interpret }: OpenResponse): string {
  return JSON.stringify([path, revision, selection?.['S'], interpret, coordinates]);
}

function warn({ info }: AcquisitionDocument, error: unknown): void {
  const reason = messageOf(error);
  const warning = `The measured times and positions could not be read, so mean steps are shown. ${reason}`;
  info.value = { ...info.peek(), warnings: [...info.peek().warnings, warning] };
}
