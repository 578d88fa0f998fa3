import type { DecodeLease, Decoder, LeaseOptions, OpenedFile, OpenFile, PlaneRequest } from '../decode/types.js';
import { AcqError } from '../errors.js';
import type { Fingerprint } from '../io/byte-source.js';
import type { PlaneBuilder } from '../planes/plane-builder.js';
import type { PlaneCache } from '../planes/plane-cache.js';
import { splitIntoBands } from './bands.js';

/** Below this size, a second worker does not pay for reopening the file. */
const PARALLEL_PLANE_BYTES = 4 * 2 ** 20;

/** One plane, or a band of it, to decode. */
export interface PlaneTask {
  request: PlaneRequest;
  builder: PlaneBuilder;
}

/** A file that one worker has open, and what another worker needs to open it too. */
export interface DecodeSource {
  decoder: Decoder;
  cache: PlaneCache;
  leaseOptions: LeaseOptions;
  file: OpenFile;
  lease: DecodeLease;
  opened: OpenedFile;
}

/**
 * Decodes all planes. Large compressed planes are shared by as many workers as are idle, each of which opens the file
 * itself; when there are more workers than planes, a plane is decoded in bands.
 * @returns the fingerprints of the files that further workers have read
 */
export async function decodePlanes(source: DecodeSource, tasks: readonly PlaneTask[]): Promise<Fingerprint[]> {
  const queue: PlaneTask[] = [];
  const helpers: Promise<Fingerprint[]>[] = [];
  const { bands } = source.opened;
  while (helpers.length < tasks.length * bands - 1 && isWorthSharing(source.opened)) {
    const helper = startHelper(source, queue);
    if (!helper) break;
    helpers.push(helper);
  }
  // Fill the queue before any helper has finished opening the file.
  queue.push(...splitForWorkers(tasks, helpers.length + 1));
  const results = await Promise.allSettled([drain(queue, source.lease), ...helpers]);
  const failed = results.find((result) => result.status === 'rejected');
  if (failed) throw failed.reason;
  return results.flatMap((result) => (result.status === 'fulfilled' ? result.value : []));
}

/** Decodes planes from the queue until it is empty. A failure empties it, so that no worker starts another plane. */
async function drain(queue: PlaneTask[], lease: DecodeLease): Promise<Fingerprint[]> {
  try {
    for (let task = queue.shift(); task; task = queue.shift()) await decodeTask(lease, task);
    return [];
  } catch (error) {
    queue.length = 0;
    throw error;
  }
}

/** Decodes the requested rows into new memory. */
export function decodeTask(lease: DecodeLease, { request, builder }: PlaneTask): Promise<void> {
  const whole = { first: 0, count: builder.rows };
  const rows = request.kind === 'channel' ? (request.band ?? whole) : whole;
  return builder.fill(rows, (memory) => lease.plane(request, memory));
}

/** Starts another worker on the queue if one is idle and its scratch memory fits the budget. */
function startHelper(source: DecodeSource, queue: PlaneTask[]): Promise<Fingerprint[]> | undefined {
  const { cache, decoder, leaseOptions, opened } = source;
  if (!cache.hasRoom(opened.scratchBytes)) return undefined;
  return decoder.tryLease(leaseOptions, (lease) =>
    cache.withScratch(opened.scratchBytes, () => help(source, lease, queue)),
  );
}

async function help(source: DecodeSource, lease: DecodeLease, queue: PlaneTask[]): Promise<Fingerprint[]> {
  const opened = await lease.open(source.file).catch(() => undefined);
  // Do without the helper. If the file has changed, the first worker notices when it closes it.
  if (!opened || !isSameShape(opened, source.opened)) return [];
  await drain(queue, lease);
  const { fingerprints, changes } = await lease.close();
  if (changes.length > 0) throw new AcqError('source_changed', changes.join('; '));
  return fingerprints;
}

/** Splits planes into bands so that there are at least as many tasks as workers. */
function splitForWorkers(tasks: readonly PlaneTask[], workers: number): PlaneTask[] {
  const bands = Math.ceil(workers / Math.max(1, tasks.length));
  if (bands < 2) return [...tasks];
  return tasks.flatMap(({ request, builder }): PlaneTask[] => {
    if (request.kind !== 'channel') return [{ request, builder }];
    return splitIntoBands(builder.rows, bands).map((band) => ({ request: { ...request, band }, builder }));
  });
}

/** True for large planes of compressed files: the files are smaller than the samples of this one scene. */
function isWorthSharing({ filesSize, view: { scene } }: OpenedFile): boolean {
  const { T, Z, Y, X } = scene.sizes;
  const stored = T * Z * Y * X * scene.channels.length * bytesPerSample(scene.sampleType);
  return Y * X * 4 >= PARALLEL_PLANE_BYTES && filesSize < stored;
}

function isSameShape({ view: { scene: a } }: OpenedFile, { view: { scene: b } }: OpenedFile): boolean {
  return a.sizes.Y === b.sizes.Y && a.sizes.X === b.sizes.X && a.channels.length === b.channels.length;
}

/** Returns the size of a sample by the number in the name of its type: 2 for `uint16`. */
function bytesPerSample(type: string): number {
  return Number(/\d+/.exec(type)?.[0] ?? 8) / 8;
}
