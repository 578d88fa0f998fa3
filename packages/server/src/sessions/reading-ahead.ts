/** Decodes the planes that a client who goes through a stack will ask for next. */
import { placeOf } from '@acquisition-store/client/answers/describe.js';
import { AcqError } from '@acquisition-store/readers/base/errors.js';
import { planeByteLength } from '@acquisition-store/readers/model/samples/plane-data.js';
import type { Decoder } from '../decode/types.js';
import { notNeeded } from '../planes/claims.js';
import type { PlaneCache } from '../planes/plane-cache.js';
import type { PinnedPlane } from '../planes/plane-memory.js';
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

/**
 * Reads ahead for a session whose clients step through time or depth. It takes what nobody else needs: workers that are idle
 * while nobody waits for one, and memory that is free.
 */
export class ReadingAhead {
  private readonly record: SessionRecord;
  private readonly options: {
    cache: PlaneCache;
    maxPlaneBytes: number;
    /** Nothing is read ahead when it does not tell what its workers do. */
    decoder: Decoder;
    /** True until a session has ended. */
    isOpen: (sessionId: string) => boolean;
    /** Decodes a plane if a worker and memory are free. */
    decode: (order: PlaneOrder, signal: AbortSignal) => Promise<PinnedPlane>;
  };
  /** The ways of clients through the planes of each channel; the one that was read longest ago comes first. */
  private readonly walks = new Map<
    string,
    {
      channelIndex: number;
      form: PlaneForm;
      t: number;
      z: number;
      /** The last step. */
      dt: number;
      dz: number;
      /** How many steps in this direction have led here, one after the other. */
      steps: number;
    }
  >();
  /** Where clients read last, and before that: `t` and `z`. */
  private here = '';
  private before = '';
  /**
   * Planes that were read ahead, by walk and place, with what stops the decode of each while it runs; also one that failed, which is
   * not tried again.
   */
  private readonly planes = new Map<string, AbortController | undefined>();

  constructor(record: SessionRecord, options: ReadingAhead['options']) {
    this.record = record;
    this.options = options;
  }

  /** Learns which plane a client asks for. */
  note(address: PlaneAddress, form: PlaneForm): void {
    const { kind, channelIndex } = address;
    if (kind !== 'channel') return;
    const { t, z } = placeOf(this.record, address);
    const here = `${t} ${z}`;
    if (here !== this.here) [this.before, this.here] = [this.here, here];
    const key = `${form} ${channelIndex}`;
    const walk = this.walks.get(key) ?? { channelIndex, form, t, z, dt: 0, dz: 0, steps: 0 };
    const [dt, dz] = [t - walk.t, z - walk.z];
    if (dt !== 0 || dz !== 0) {
      const isStep = Math.abs(dt) + Math.abs(dz) === 1;
      const isSame = dt === walk.dt && dz === walk.dz;
      Object.assign(walk, { t, z, dt, dz, steps: isStep ? (isSame ? walk.steps + 1 : 1) : 0 });
    }
    // Who is read next is the first one.
    this.walks.delete(key);
    this.walks.set(key, walk);
    for (const [other, at] of this.walks) {
      const place = `${at.t} ${at.z}`;
      if (place !== this.here && place !== this.before) this.walks.delete(other);
    }
  }

  /** Starts what can be read ahead: when a plane of the session is there, a worker has become free. */
  start(): void {
    const { record } = this;
    const { maxPlaneBytes, isOpen } = this.options;
    if (!isOpen(record.id)) return;
    const next = [...this.next()];
    for (const [name, decode] of this.planes) {
      if (!decode && !next.some((plane) => plane.name === name)) this.planes.delete(name);
    }
    const { T, Z } = record.description.header.sizes;
    for (const { name, channelIndex, form, t, z } of next) {
      const isInside = t >= 0 && t < (T ?? 1) && z >= 0 && z < (Z ?? 1);
      if (this.planes.size >= MAX_AHEAD || !this.isWorkerFree() || !isInside || this.planes.has(name)) continue;
      // A place in the dimensions that the file has.
      const place = { ...(T === undefined ? {} : { t }), ...(Z === undefined ? {} : { z }) };
      const address = { sessionId: record.id, kind: 'channel', channelIndex, ...place } as const;
      this.decode(name, orderOwn(record, address, form, maxPlaneBytes));
    }
  }

  /** Ends what is being read: the session has ended. The cache forgets its planes. */
  end(): void {
    this.walks.clear();
    if (![...this.planes.values()].some((decode) => decode)) return;
    setTimeout(() => {
      for (const decode of this.planes.values()) decode?.abort(notNeeded());
    }, GRACE_MS).unref();
  }

  /** The planes that clients are expected to ask for, the nearest first. */
  private *next() {
    for (const distance of DISTANCES) {
      for (const [key, { channelIndex, form, steps, ...at }] of this.walks) {
        if (steps < MIN_STEPS) continue;
        const [t, z] = [at.t + distance * at.dt, at.z + distance * at.dz];
        yield { name: `${key} ${t} ${z}`, channelIndex, form, t, z };
      }
    }
  }

  private decode(name: string, order: PlaneOrder): void {
    const { record } = this;
    const { cache, decode } = this.options;
    const byteLength = planeByteLength(order);
    if (byteLength > MAX_PLANE_BYTES || !cache.mayReadAhead(order.key, byteLength, record.owner)) return;
    const ahead = new AbortController();
    const reader = { ...readerOf(record, ahead.signal), ahead };
    this.planes.set(name, ahead);
    cache
      .read(order.key, byteLength, (signal) => decode(order, signal), reader)
      .then(
        ({ release }) => {
          release();
          this.planes.set(name, undefined);
          this.start();
        },
        // Whoever asks for it learns why. The next one would need memory, too.
        (error: unknown) => {
          this.planes.set(name, undefined);
          if (!isShortage(error)) this.start();
        },
      );
  }

  private isWorkerFree(): boolean {
    const { idle = 0, waiting = 0 } = this.options.decoder.occupancy ?? {};
    return idle > 0 && waiting === 0;
  }
}

/** True for the error of a decode that got no memory, or had to give it back. */
function isShortage(error: unknown): boolean {
  return error instanceof AcqError && error.code === 'capacity_exceeded';
}
