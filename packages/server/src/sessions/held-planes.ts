import type { OpenPlan, PlaneSet } from '@acquisition-store/client/answers/describe.js';
import { planeByteLength } from '@acquisition-store/readers/model/samples/plane-data.js';
import type { Rounding } from '@acquisition-store/readers/model/samples/rounding.js';
import type { SampleType } from '@acquisition-store/readers/model/samples/types.js';
import type { PlaneUser } from '../planes/claims.js';
import type { PinnedPlane, PlaneCache } from '../planes/plane-cache.js';
import { planeKey, servedType } from '../planes/plane-key.js';
import { PlaneBuilder, type StoredPlane } from '../planes/plane-memory.js';
import { deferred } from '../waiting.js';
import type { PlaneAddress } from './types.js';

/** Where an open keeps its planes. */
export interface PlaneHome {
  cache: PlaneCache;
  /** The session to come. */
  reader: PlaneUser;
  /** Id of the content that the planes belong to. */
  content: string;
  /** Planes that others have, or are about to have, are not decoded again. */
  shares: boolean;
}

/**
 * Planes of a session that is being opened. Those that others have are used. The others are in the cache, and counted,
 * before they are decoded, but nobody gets them before they are published.
 */
export class HeldPlanes {
  /** The planes to decode, by channel index. */
  readonly builders = new Map<number, PlaneBuilder>();
  /** Planes that others have, or are about to have; pinned. */
  readonly shared: Promise<PinnedPlane>[] = [];
  private readonly home: PlaneHome;
  private readonly set: PlaneSet | null;
  private readonly type: SampleType;
  private readonly missing: number[] = [];
  private readonly key: (channelIndex: number) => string;
  private readonly published = deferred();

  /** Claims the planes that others have. */
  constructor(
    home: PlaneHome,
    kind: PlaneAddress['kind'],
    set: PlaneSet | null,
    { scene, t, z, ...plan }: Pick<OpenPlan, 'scene' | 't' | 'z' | 'projection'>,
  ) {
    const { cache, content, reader, shares } = home;
    this.home = home;
    this.set = set;
    const projection = kind === 'channel' ? plan.projection : undefined;
    const type = servedType(set?.sampleType, projection);
    this.type = type;
    this.key = (channelIndex) => planeKey({ content, scene, kind, channelIndex, t, z, type, projection });
    for (const channelIndex of set?.channelIndices ?? []) {
      const plane = shares ? cache.find(this.key(channelIndex), reader) : undefined;
      // Whoever waits for it learns of a failure.
      plane?.catch(() => {});
      if (plane !== undefined) this.shared.push(plane);
      else this.missing.push(channelIndex);
    }
  }

  /** Bytes of the planes to decode. */
  get missingBytes(): number {
    return this.missing.length * this.planeBytes;
  }

  private get planeBytes(): number {
    return this.set ? planeByteLength({ ...this.set, sampleType: this.type }) : 0;
  }

  /** Puts the planes to decode into the cache. The caller has made room for them. */
  hold(): void {
    const { cache, reader } = this.home;
    for (const channelIndex of this.missing) {
      const builder = new PlaneBuilder(cache.arena, this.set!.rows, this.set!.columns, this.type);
      this.builders.set(channelIndex, builder);
      const plane = this.published.promise.then(() => builder.plane);
      cache.put(this.key(channelIndex), this.planeBytes, plane, reader);
    }
  }

  /** Lets others have the planes that were decoded here. All files that they came from must have been compared. */
  publish(): void {
    this.published.resolve();
  }

  /** Ends the planes to decode: their memory is free again, and whoever waits for them gets `error`. */
  giveUp(error: unknown): void {
    const { arena } = this.home.cache;
    const free = ({ blocks }: StoredPlane) => {
      for (const block of blocks) arena.give(block);
    };
    for (const builder of this.builders.values()) {
      builder.giveUp(error);
      // A plane can be complete, and still be of two states of the file.
      builder.plane.then(free, () => {});
    }
    this.builders.clear();
    this.published.reject(error);
  }

  /** Returns a sample that float32 cannot hold. Waits for the planes of others. */
  async rounding(): Promise<Rounding | undefined> {
    const own = await Promise.all([...this.builders.values()].map(({ plane }) => plane));
    const planes = [...own, ...(await Promise.all(this.shared))];
    const found = planes.flatMap(({ data }) => data.rounding ?? []);
    return found.find(({ isInfinite }) => isInfinite) ?? found[0];
  }

  /** Lets go of the planes that others have decoded. They stay claimed. */
  release(): void {
    for (const plane of this.shared.splice(0)) plane.then(({ release }) => release()).catch(() => {});
  }
}
