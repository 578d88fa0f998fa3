import type {
  DecodeLease,
  Decoder,
  LeaseOptions,
  OpenedFile,
  OpenFile,
  PlaneMemory,
  PlaneRequest,
} from '../decode/types.js';
import type { PlaneCache } from '../planes/plane-cache.js';
import type { PlaneBuilder } from '../planes/plane-memory.js';
import type { Fingerprint } from '../platform-node/file-source.js';
import { splitIntoBands } from './bands.js';

/** Rows of channels that are stored together are decoded in bands that have about this many bytes in the file. */
const BAND_BYTES = 8 * 2 ** 20;
/** Below this size, a second worker does not pay for reopening the file: a plane that is compressed. */
const COMPRESSED_PLANE_BYTES = 4 * 2 ** 20;
/** Bytes of float32 that a worker makes from uncompressed samples in a millisecond, on a fast machine. */
const PLAIN_BYTES_PER_MS = 8 * 2 ** 20;
/** The same in memory that is new to the process: the system clears each page when it is first written to. */
const FRESH_BYTES_PER_MS = 2 * 2 ** 20;

/** Up to this many bytes of float32, planes are decoded in one call. */
const ONE_CALL_BYTES = 2 * 2 ** 20;

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
  /** Milliseconds that the open took. */
  openMs: number;
  /** No other open is in progress. */
  isAlone: boolean;
}

/**
 * Decodes all planes. Large ones are shared by workers that are idle, each of which opens the file itself: compressed
 * planes by all of them, uncompressed ones by two. When there are more workers than planes, a plane is decoded in bands.
 * Channels that are stored together are decoded in bands too, all channels of a band one after the other.
 * @param isAll nothing else will be read: the files are closed with the last plane
 * @returns the files that the first worker has read, if it has closed them, and those that further workers have read
 */
export async function decodePlanes(
  source: DecodeSource,
  tasks: readonly PlaneTask[],
  isAll: boolean,
): Promise<{ closed: Fingerprint[] | undefined; others: Fingerprint[] }> {
  // Tasks for one worker, in order; in one call if they fit one.
  const queue: PlaneTask[][] = [];
  const helpers: Promise<Fingerprint[]>[] = [];
  const together = countBandsTogether(source.opened, tasks);
  // A projection is read as a whole.
  const isWhole = countPlanes(tasks) > tasks.length;
  const isOneCall = fitsOneCall(source.opened, tasks);
  const maxWorkers = isOneCall ? source.opened.bands : (together ?? tasks.length * (isWhole ? 1 : source.opened.bands));
  const { openMs, isAlone, cache } = source;
  const keptBytes = cache.arena.state.freeBytes;
  const facts = { ...planeFacts(source.opened), planes: countPlanes(tasks), keptBytes, openMs, isAlone };
  const maxHelpers = Math.min(maxWorkers - 1, countUsefulHelpers(facts));
  while (helpers.length < maxHelpers) {
    const helper = startHelper(source, queue, isOneCall);
    if (!helper) break;
    helpers.push(helper);
  }
  // Fill the queue before any helper has finished opening the file.
  const workers = helpers.length + 1;
  queue.push(...splitForWorkers(source.opened, tasks, { workers, together: isOneCall ? workers : together }));
  const own = drain(queue, source.lease, isAll, isOneCall);
  const results = await Promise.allSettled([own, ...helpers]);
  const failed = results.find((result) => result.status === 'rejected');
  if (failed) throw failed.reason;
  return { closed: await own, others: (await Promise.all(helpers)).flat() };
}

/**
 * Decodes planes from the queue until it is empty. A failure empties it, so that no worker starts another plane.
 * @param isAll closes the files with the last plane of the queue
 * @param isOneCall decodes the tasks of a group in one call
 */
async function drain(
  queue: PlaneTask[][],
  lease: DecodeLease,
  isAll: boolean,
  isOneCall: boolean,
): Promise<Fingerprint[] | undefined> {
  let closed: Fingerprint[] | undefined;
  try {
    for (let group = queue.shift(); group; group = queue.shift()) {
      if (isOneCall) {
        closed = await decodeTogether(lease, group, isAll && queue.length === 0);
        continue;
      }
      for (const [i, task] of group.entries()) {
        const isLast = isAll && queue.length === 0 && i === group.length - 1;
        closed = await decodeTask(lease, task, isLast);
      }
    }
    return closed;
  } catch (error) {
    queue.length = 0;
    throw error;
  }
}

/** Decodes the requested rows into new memory. `isLast` as in `DecodeLease.plane`. */
export async function decodeTask(
  lease: DecodeLease,
  { request, builder }: PlaneTask,
  isLast = false,
): Promise<Fingerprint[] | undefined> {
  const whole = { first: 0, count: builder.rows };
  const rows = request.kind === 'channel' ? (request.band ?? whole) : whole;
  let closed: Fingerprint[] | undefined;
  await builder.fill(rows, async (memory) => {
    closed = await lease.plane(request, memory, isLast);
  });
  return closed;
}

/** Decodes the same rows of several channels in one call. */
async function decodeTogether(
  lease: DecodeLease,
  tasks: readonly PlaneTask[],
  isLast: boolean,
): Promise<Fingerprint[] | undefined> {
  const { request } = tasks[0]!;
  if (request.kind !== 'channel') throw new Error('only channels are read together');
  const band = request.band ?? { first: 0, count: tasks[0]!.builder.rows };
  const together = tasks.map((task) => task.request.channel);
  const memories: PlaneMemory[] = [];
  let closed: Fingerprint[] | undefined;
  const fill = async (i: number): Promise<void> => {
    if (i === tasks.length) closed = await lease.plane({ ...request, together }, inTurns(memories), isLast);
    else
      await tasks[i]!.builder.fill(band, (memory) => {
        memories.push(memory);
        return fill(i + 1);
      });
  };
  await fill(0);
  return closed;
}

/** Returns the memory of planes of one shape: the first block of each, then the second, and so on. */
function inTurns(memories: readonly PlaneMemory[]): PlaneMemory {
  const { rowsPerBlock, blocks } = memories[0]!;
  return {
    rowsPerBlock,
    blocks: blocks.flatMap((_, i) => memories.map((memory) => memory.blocks[i]!)),
    atOnce: memories.length,
  };
}

/** Starts another worker on the queue if one is idle and its scratch memory fits the budget. */
function startHelper(
  source: DecodeSource,
  queue: PlaneTask[][],
  isOneCall: boolean,
): Promise<Fingerprint[]> | undefined {
  const { cache, decoder, leaseOptions, opened } = source;
  if (!cache.hasRoom(opened.scratchBytes)) return undefined;
  return decoder.tryLease(leaseOptions, (lease) =>
    cache.withScratch(opened.scratchBytes, () => help(source, lease, { queue, isOneCall })),
  );
}

async function help(
  source: DecodeSource,
  lease: DecodeLease,
  { queue, isOneCall }: { queue: PlaneTask[][]; isOneCall: boolean },
): Promise<Fingerprint[]> {
  const opened = await lease.open(source.file).catch(() => undefined);
  // Do without the helper. If the file has changed, the first worker notices when it closes it.
  if (!opened || !isSameShape(opened, source.opened)) return [];
  return (await drain(queue, lease, true, isOneCall)) ?? lease.close();
}

/** True when the planes are decoded in one call: in one pass of the file, or because messages would take as long as they do. */
function fitsOneCall(opened: OpenedFile, tasks: readonly PlaneTask[]): boolean {
  if (tasks.length < 2 || !areChannels(tasks)) return false;
  const { planeBytes } = planeFacts(opened);
  return opened.readsOnce === true || tasks.length * planeBytes <= ONE_CALL_BYTES;
}

function areChannels(tasks: readonly PlaneTask[]): boolean {
  return tasks.every(({ request }) => request.kind === 'channel' && request.projection === undefined);
}

/**
 * Returns the number of bands in which planes are decoded together, channel after channel; `undefined` when each plane is
 * better decoded by itself: its channels are stored apart, or form one large compressed piece.
 */
function countBandsTogether(opened: OpenedFile, tasks: readonly PlaneTask[]): number | undefined {
  if (!opened.interleaved || tasks.length < 2 || !areChannels(tasks)) return undefined;
  const { sizes, channels, sampleType } = opened.view.scene;
  const bands = Math.ceil((sizes.Y * sizes.X * channels.length * bytesPerSample(sampleType)) / BAND_BYTES);
  const isCompressed = opened.scratchBytes > 0;
  if (!isCompressed || bands === 1) return Math.min(bands, sizes.Y);
  return opened.bands > 1 ? Math.min(bands, opened.bands) : undefined;
}

/** Returns the number of planes that are read. */
function countPlanes(tasks: readonly PlaneTask[]): number {
  return tasks.reduce((sum, { request }) => sum + ((request.kind === 'channel' && request.projection?.size) || 1), 0);
}

/** Splits planes into bands so that there are at least as many groups of tasks as workers. */
function splitForWorkers(
  opened: OpenedFile,
  tasks: readonly PlaneTask[],
  { workers, together }: { workers: number; together: number | undefined },
): PlaneTask[][] {
  // Whole blocks find memory of the same size again, whether a plane is split or not.
  const step = ({ builder }: PlaneTask) => (hasCompressedFiles(opened) ? 1 : builder.rowsPerBlock);
  if (together !== undefined) {
    const planes = tasks.map((task) => splitTask(task, together, step(task)));
    return planes[0]!.map((_, band) => planes.map((bands) => bands[band]!));
  }
  const bands = Math.ceil(workers / Math.max(1, tasks.length));
  return tasks.flatMap((task) => splitTask(task, bands, step(task))).map((task) => [task]);
}

function splitTask({ request, builder }: PlaneTask, bands: number, step: number): PlaneTask[] {
  if (request.kind !== 'channel' || request.projection || bands < 2) return [{ request, builder }];
  return splitIntoBands(builder.rows, bands, step).map((band) => ({ request: { ...request, band }, builder }));
}

/** Returns how many more workers make it faster to read one plane of an open file without keeping it. */
export function countHelpers(opened: OpenedFile): number {
  const facts = { ...planeFacts(opened), planes: 1, keptBytes: Number.POSITIVE_INFINITY, openMs: 0, isAlone: true };
  return Math.min(opened.bands - 1, countUsefulHelpers(facts));
}

function planeFacts(opened: OpenedFile) {
  const { Y, X } = opened.view.scene.sizes;
  return { isCompressed: hasCompressedFiles(opened), planeBytes: Y * X * Float32Array.BYTES_PER_ELEMENT };
}

/**
 * Returns how many further workers, each of which opens the file too, make an open faster. Compressed planes take all that
 * are idle. Uncompressed ones are as fast as memory: they take one, if the file opens quickly beside the decoding that it
 * saves, and if nobody else opens a file: the next one would wait for the worker, and the main thread for a core.
 */
export function countUsefulHelpers({
  isCompressed,
  planes,
  planeBytes,
  keptBytes,
  openMs,
  isAlone,
}: {
  isCompressed: boolean;
  /** Planes to decode, and the bytes of each as float32. */
  planes: number;
  planeBytes: number;
  /** Bytes of memory kept from earlier planes. */
  keptBytes: number;
  /** Milliseconds that opening the file took. */
  openMs: number;
  /** No other open is in progress. */
  isAlone: boolean;
}): number {
  if (isCompressed) return planeBytes >= COMPRESSED_PLANE_BYTES ? Number.POSITIVE_INFINITY : 0;
  if (!isAlone) return 0;
  const bytes = planes * planeBytes;
  const fresh = Math.max(0, bytes - keptBytes);
  const decodeMs = (bytes - fresh) / PLAIN_BYTES_PER_MS + fresh / FRESH_BYTES_PER_MS;
  return decodeMs > 2 * openMs ? 1 : 0;
}

/** True when the files are smaller than the samples of this one scene. */
function hasCompressedFiles({ filesSize, view: { scene } }: OpenedFile): boolean {
  const { T, Z, Y, X } = scene.sizes;
  return filesSize < T * Z * Y * X * scene.channels.length * bytesPerSample(scene.sampleType);
}

function isSameShape(opened: OpenedFile, other: OpenedFile): boolean {
  const [a, b] = [opened.view.scene, other.view.scene];
  const isSameSize = a.sizes.Y === b.sizes.Y && a.sizes.X === b.sizes.X;
  return isSameSize && a.channels.length === b.channels.length && opened.readsOnce === other.readsOnce;
}

/** Returns the size of a sample by the number in the name of its type: 2 for `uint16`. */
function bytesPerSample(type: string): number {
  return Number(/\d+/.exec(type)?.[0] ?? 8) / 8;
}
