/** Decodes the planes that a client who goes through a stack will ask for next. */
import { placeOf } from '@acquisition-store/client/answers/describe.js';
import { planeByteLength } from '@acquisition-store/readers/model/samples/plane-data.js';
import type { Occupancy } from '../decode/types.js';
import { notNeeded } from '../planes/claims.js';
import type { PlaneCache } from '../planes/plane-cache.js';
import type { StoredPlane } from '../planes/plane-memory.js';
import { orderOwn, type PlaneOrder } from './plane-order.js';
import { readerOf, type SessionRecord } from './record.js';
import type { PlaneAddress, PlaneForm } from './types.js';

/** Planes of a session that are decoded, or being decoded, and that nobody has asked for yet. */
const MAX_AHEAD = 2;
/** How many steps ahead of a client planes are read, the nearest first. */
const DISTANCES = Array.from({ length: MAX_AHEAD }, (_, index) => index + 1);
/** Steps in one direction after which a client is expected to go on. */
const MIN_STEPS = 2;
/** Bytes of a plane in memory. A larger one would keep a worker from others for too long. */
const MAX_PLANE_BYTES = 32 * 2 ** 20;
/** A decode that nobody needs any more may go on for so long: ending a thread costs more than most planes. */
const GRACE_MS = 250;

interface Place {
  t: number;
  z: number;
}

/** The way of a client through the planes of one channel. */
interface Walk extends Place {
  channelIndex: number;
  form: 'served' | 'native';
  /** The last step. */
  dt: number;
  dz: number;
  /** How many steps in this direction have led here, one after the other. */
  steps: number;
}

/** A plane that was read ahead; also one that failed, which is not tried again. */
interface NextPlane extends Place {
  /** Key of its walk. */
  key: string;
  /** Stops its decode; set while it is being decoded. */
  decode: AbortController | undefined;
}

/** What a session reads. */
interface Reader {
  walks: Map<string, Walk>;
  /** Where it read last, and before that. */
  here: Place;
  before: Place;
  ahead: Set<NextPlane>;
}

/**
 * Reads ahead for sessions whose clients step through time or depth. It takes what nobody else needs: workers that are idle
 * while nobody waits for one, and memory that is free.
 */
export class ReadingAhead {
  private readonly options: {
    cache: PlaneCache;
    maxPlaneBytes: number;
    /** Returns what the workers do; nothing is read ahead without it. */
    occupancy: () => Occupancy | undefined;
    /** True until a session has ended. */
    isOpen: (sessionId: string) => boolean;
    /** Decodes a plane if a worker and memory are free. */
    decode: (record: SessionRecord, order: PlaneOrder, signal: AbortSignal) => Promise<StoredPlane>;
  };
  private readonly readers = new WeakMap<SessionRecord, Reader>();

  constructor(options: ReadingAhead['options']) {
    this.options = options;
  }

  /** Learns which plane a client asks for. */
  note(record: SessionRecord, address: PlaneAddress, form: PlaneForm): void {
    const { kind, channelIndex, scene } = address;
    if (form !== 'served' && form !== 'native') return;
    if (kind !== 'channel' || scene !== undefined || record.projection) return;
    const place = placeOf(record, address);
    const reader = this.readers.get(record) ?? { walks: new Map(), here: place, before: place, ahead: new Set() };
    this.readers.set(record, reader);
    if (!isAt(place, reader.here)) Object.assign(reader, { before: reader.here, here: place });
    const key = `${form} ${channelIndex}`;
    const walk = nextOf(reader.walks.get(key), { ...place, channelIndex, form });
    // Who is read next is the first one.
    reader.walks.delete(key);
    reader.walks.set(key, walk);
    for (const [other, { t, z }] of reader.walks) {
      if (!isAt({ t, z }, reader.here) && !isAt({ t, z }, reader.before)) reader.walks.delete(other);
    }
  }

  /** Starts what can be read ahead for a session: when one of its planes is there, a worker has become free. */
  start(record: SessionRecord): void {
    const reader = this.readers.get(record);
    if (!reader || !this.options.isOpen(record.id)) return;
    for (const plane of reader.ahead) if (!plane.decode && !isExpected(reader, plane)) reader.ahead.delete(plane);
    for (const distance of DISTANCES) {
      for (const [key, walk] of reader.walks) {
        if (walk.steps >= MIN_STEPS) this.decode(record, reader, key, walk, distance);
      }
    }
  }

  /** Ends what is being read for a session that has ended. The cache forgets its planes. */
  end(record: SessionRecord): void {
    const running = [...(this.readers.get(record)?.ahead ?? [])].filter(({ decode }) => decode);
    this.readers.delete(record);
    if (running.length === 0) return;
    setTimeout(() => {
      for (const { decode } of running) decode?.abort(notNeeded());
    }, GRACE_MS).unref();
  }

  private decode(record: SessionRecord, reader: Reader, key: string, walk: Walk, distance: number): void {
    const { cache, maxPlaneBytes, decode } = this.options;
    const place = placeAt(walk, distance);
    if (reader.ahead.size >= MAX_AHEAD || !this.isWorkerFree() || !isInside(record, place)) return;
    if ([...reader.ahead].some((other) => other.key === key && isAt(other, place))) return;
    const { channelIndex, form } = walk;
    const address = { sessionId: record.id, kind: 'channel', channelIndex, ...inDimensions(record, place) } as const;
    const order = orderOwn(record, address, form, maxPlaneBytes);
    const byteLength = planeByteLength(order);
    if (byteLength > MAX_PLANE_BYTES) return;
    const read = (signal: AbortSignal) => decode(record, order, signal);
    const ahead = new AbortController();
    const done = cache.readAhead(order.key, byteLength, read, readerOf(record), ahead);
    if (!done) return;
    const plane: NextPlane = { ...place, key, decode: ahead };
    reader.ahead.add(plane);
    done.then(
      () => {
        plane.decode = undefined;
        this.start(record);
      },
      // Whoever asks for it learns why.
      () => {
        plane.decode = undefined;
      },
    );
  }

  private isWorkerFree(): boolean {
    const { idle = 0, waiting = 0 } = this.options.occupancy() ?? {};
    return idle > 0 && waiting === 0;
  }
}

function isAt(a: Place, b: Place): boolean {
  return a.t === b.t && a.z === b.z;
}

/** Returns the walk that goes on with a plane. */
function nextOf(walk: Walk | undefined, to: Pick<Walk, 't' | 'z' | 'channelIndex' | 'form'>): Walk {
  if (!walk) return { ...to, dt: 0, dz: 0, steps: 0 };
  if (isAt(walk, to)) return walk;
  const [dt, dz] = [to.t - walk.t, to.z - walk.z];
  const isStep = Math.abs(dt) + Math.abs(dz) === 1;
  const isSame = dt === walk.dt && dz === walk.dz;
  return { ...to, dt, dz, steps: isStep ? (isSame ? walk.steps + 1 : 1) : 0 };
}

function placeAt({ t, z, dt, dz }: Walk, distance: number): Place {
  return { t: t + distance * dt, z: z + distance * dz };
}

/** True when a walk leads to a plane. */
function isExpected({ walks }: Reader, plane: NextPlane): boolean {
  const walk = walks.get(plane.key);
  if (!walk || walk.steps < MIN_STEPS) return false;
  return DISTANCES.some((distance) => isAt(placeAt(walk, distance), plane));
}

function isInside({ description }: SessionRecord, { t, z }: Place): boolean {
  const { T = 1, Z = 1 } = description.header.sizes;
  return t >= 0 && t < T && z >= 0 && z < Z;
}

/** Returns a place in the dimensions that the file has. */
function inDimensions({ description }: SessionRecord, { t, z }: Place): Partial<Place> {
  const { T, Z } = description.header.sizes;
  return { ...(T === undefined ? {} : { t }), ...(Z === undefined ? {} : { z }) };
}
