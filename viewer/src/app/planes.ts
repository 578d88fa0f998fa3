/** Brings the planes of an acquisition: a few at a time, each shown as soon as it has come. */

import { AcqClientError } from '../../../client/index.ts';
import type { OpenedAcquisition } from '../model/client.ts';
import type { AcquisitionDocument, ChannelView, Pane } from '../model/document.ts';
import { firstRange } from './first-range.ts';
import { isAbort } from './notices.ts';
import type { Task } from './tasks.ts';

/** Transfers at a time: the browser has six connections to a server, and the rest of the page wants some. */
const AT_ONCE = 3;

interface Wanted {
  readonly pane: Pane;
  readonly channel: ChannelView;
}

/** Channels whose contrast is chosen already, by a link or by hand. */
export type Settled = ReadonlySet<ChannelView>;

/**
 * Loads what is not there yet. A channel that fails says so in its load state and does not stop the others.
 * @throws what the task was aborted with, after all transfers have ended
 */
export async function loadPlanes(document: AcquisitionDocument, task: Task, settled: Settled): Promise<void> {
  const acquisition = document.opened.value;
  const queue = wanted(document);
  const total = queue.reduce((sum, { channel }) => sum + channel.byteLength, 0);
  const received = new Map<ChannelView, number>();
  const told = (channel: ChannelView, bytes: number) => {
    // What comes late of an older selection must not be told of the newer one.
    if (task.signal.aborted) return;
    received.set(channel, bytes);
    channel.load.value = { state: 'loading', received: bytes, total: channel.byteLength };
    task.progress.value = { received: [...received.values()].reduce((sum, one) => sum + one, 0), total };
  };
  const work = async () => {
    for (let next = queue.shift(); next && !task.signal.aborted; next = queue.shift()) {
      await loadOne(acquisition, next, task.signal, told, settled);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  task.signal.throwIfAborted();
}

/** Marks what has not come, and will not. */
export function giveUp(document: AcquisitionDocument): void {
  for (const { channel } of wanted(document)) channel.load.value = CANCELLED;
}

const CANCELLED = { state: 'failed', code: 'cancelled', message: 'Not loaded: you stopped it.' } as const;

/** Channels without samples of the selection at hand. */
export function wanted(document: AcquisitionDocument): Wanted[] {
  const panes = [document.source.value, document.reference.value].filter((pane) => pane !== null);
  return panes.flatMap((pane) =>
    pane.channels.filter(({ load }) => load.value.state !== 'ready').map((channel) => ({ pane, channel })),
  );
}

async function loadOne(
  acquisition: OpenedAcquisition,
  { pane, channel }: Wanted,
  signal: AbortSignal,
  told: (channel: ChannelView, bytes: number) => void,
  settled: Settled,
): Promise<void> {
  told(channel, 0);
  const options = { signal, onProgress: ({ received }: { received: number }) => told(channel, received) };
  try {
    const data = await (pane.kind === 'source'
      ? acquisition.plane(channel.index, options)
      : acquisition.referencePlane(channel.index, options));
    if (signal.aborted) return;
    if (!settled.has(channel)) channel.display.value = { ...channel.display.value, ...firstRange(data) };
    channel.data.value = data;
    channel.load.value = { state: 'ready' };
  } catch (error) {
    if (isAbort(error) || signal.aborted) return;
    const { code, message } = error instanceof AcqClientError ? error : { code: 'page_error', message: String(error) };
    channel.load.value = { state: 'failed', code, message };
  }
}
