import type { DecodeLease, Decoder, LeaseOptions, OpenedFile, OpenFile, PlaneRequest } from '../decode/types.js';
import { AcqError } from '../errors.js';
import type { Fingerprint } from '../io/byte-source.js';
import type { PlaneBuilder } from '../planes/plane-builder.js';
import type { PlaneCache } from '../planes/plane-cache.js';
import { splitIntoBands } from './bands.js';

/** Below this, opening the file once more costs more than a second worker saves. */
const PARALLEL_PLANE_BYTES = 4 * 2 ** 20;

/** One plane, or a band of it, to decode. */
export interface PlaneTask {
  request: PlaneRequest;
  builder: PlaneBuilder;
}

/** A file that one worker has open, and what another one needs to open it too. */
export interface DecodeSource {
  decoder: Decoder;
  cache: PlaneCache;
  leaseOptions: LeaseOptions;
  file: OpenFile;
  lease: DecodeLease;
  opened: OpenedFile;
}

/**
 * Decodes all planes, and returns the fingerprints of the files that further workers read for it. Large compressed
 * planes are decoded by as many workers as are idle: each of them opens the file for itself. When there are more
 * workers than planes, a plane is decoded in bands.
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
  // Nobody took a plane yet: helpers are still opening the file.
  queue.push(...splitForWorkers(tasks, helpers.length + 1));
  const results = await Promise.allSettled([drain(queue, source.lease), ...helpers]);
  const failed = results.find((result) => result.status === 'rejected');
  if (failed) throw failed.reason;
  return results.flatMap((result) => (result.status === 'fulfilled' ? result.value : []));
}

/** Takes planes until none is left. After a failure nobody starts another one. */
async function drain(queue: PlaneTask[], lease: DecodeLease): Promise<Fingerprint[]> {
  try {
    for (let task = queue.shift(); task; task = queue.shift()) await decodeTask(lease, task);
    return [];
  } catch (error) {
    queue.length = 0;
    throw error;
  }
}

/** Decodes the rows that the request names into memory of their own. */
export function decodeTask(lease: DecodeLease, { request, builder }: PlaneTask): Promise<void> {
  const whole = { first: 0, count: builder.rows };
  const rows = request.kind === 'channel' ? (request.band ?? whole) : whole;
  return builder.fill(rows, (memory) => lease.plane(request, memory));
}

/** Another worker that takes planes from the queue, when one is idle and its scratch memory fits the budget. */
function startHelper(source: DecodeSource, queue: PlaneTask[]): Promise<Fingerprint[]> | undefined {
  const { cache, decoder, leaseOptions, opened } = source;
  if (!cache.hasRoom(opened.scratchBytes)) return undefined;
  return decoder.tryLease(leaseOptions, (lease) =>
    cache.withScratch(opened.scratchBytes, () => help(source, lease, queue)),
  );
}

async function help(source: DecodeSource, lease: DecodeLease, queue: PlaneTask[]): Promise<Fingerprint[]> {
  const own = await lease.open(source.file).catch(() => undefined);
  // No help then. Whether the file changed is for the first worker to find out: it looks when it closes it.
  if (!own || !isSameShape(own, source.opened)) return [];
  await drain(queue, lease);
  const { fingerprints, changes } = await lease.close();
  if (changes.length > 0) throw new AcqError('source_changed', changes.join('; '));
  return fingerprints;
}

/** As many tasks as there are workers, or more. */
function splitForWorkers(tasks: readonly PlaneTask[], workers: number): PlaneTask[] {
  const bands = Math.ceil(workers / Math.max(1, tasks.length));
  if (bands < 2) return [...tasks];
  return tasks.flatMap(({ request, builder }): PlaneTask[] => {
    if (request.kind !== 'channel') return [{ request, builder }];
    return splitIntoBands(builder.rows, bands).map((band) => ({ request: { ...request, band }, builder }));
  });
}

/** Compressed: the files are smaller than the samples of this one scene. */
function isWorthSharing({ filesSize, view: { scene } }: OpenedFile): boolean {
  const { T, Z, Y, X } = scene.sizes;
  const stored = T * Z * Y * X * scene.channels.length * bytesPerSample(scene.sampleType);
  return Y * X * 4 >= PARALLEL_PLANE_BYTES && filesSize < stored;
}

function isSameShape({ view: { scene: a } }: OpenedFile, { view: { scene: b } }: OpenedFile): boolean {
  return a.sizes.Y === b.sizes.Y && a.sizes.X === b.sizes.X && a.channels.length === b.channels.length;
}

/** By the number in the type's name: `uint16` has 2. */
function bytesPerSample(type: string): number {
  return Number(/\d+/.exec(type)?.[0] ?? 8) / 8;
}
