/** The acquisitions that sessions have open, and the planes that opens of one acquisition share. */
import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import type { AskedPlane, OpenPlan, PlaneSet } from '@acquisition-store/client/answers/describe.js';
import { AcqError } from '@acquisition-store/readers/base/errors.js';
import { planeByteLength } from '@acquisition-store/readers/model/samples/plane-data.js';
import type { SampleType } from '@acquisition-store/readers/model/samples/types.js';
import type { DecodeLease, OpenedFile, PlaneRequest } from '../decode/types.js';
import type { PlaneUser } from '../planes/claims.js';
import type { PlaneCache } from '../planes/plane-cache.js';
import { type PinnedPlane, PlaneBuilder } from '../planes/plane-memory.js';
import { type Fingerprint, isSameFingerprint } from '../platform-node/file-source.js';
import { deferred } from '../waiting.js';
import type { PlaneTask } from './decode-planes.js';
import { planeKey, servedType, toPlaneRequest } from './plane-order.js';

/** Sessions that share planes of files beyond this number would wait too long until all of them are compared. */
const MAX_COMPARED_FILES = 1_000;
/** Max opens of one content whose revisions are remembered. */
const MAX_REVISIONS = 1_000;

/**
 * An acquisition in one state of its files. Sessions that opened it in this state share its planes. All that is known about
 * the files is about this one state: who joins has compared them.
 */
export interface Content {
  /** Names it in keys of planes: no other content of this server has it. */
  readonly id: string;
  /** Equal for acquisitions whose first files and shape are equal. */
  readonly digest: string;
  /** Every file that was read so far. */
  readonly files: Fingerprint[];
  /** Opens in progress, by what they read. */
  readonly opening: Map<string, number>;
  /** `source.revision` of the opens that were completed, by what they read. */
  readonly revisions: Map<string, string>;
  /** Sessions and opens that use it. */
  users: number;
}

/** The acquisitions that sessions have open. */
export class Contents {
  private readonly byId = new Map<string, Content>();
  /** The last one of each digest: an earlier one may be of another state of files that an open has not read. */
  private readonly latest = new Map<string, Content>();
  private created = 0;

  /**
   * Returns the content of a file that a worker has open. The caller must `leave` it.
   * @throws what `lease` throws
   */
  async enter(path: string, opened: OpenedFile, lease: DecodeLease): Promise<Content> {
    const digest = digestOf(path, opened);
    const content = this.latest.get(digest);
    if (!content) return this.create(digest, opened.fingerprints);
    content.users++;
    try {
      if (await isUnchanged(content, opened, lease)) return content;
    } catch (error) {
      this.leave(content.id);
      throw error;
    }
    this.leave(content.id);
    return this.create(digest, opened.fingerprints);
  }

  /** @returns whether nobody uses the content any more */
  leave(id: string): boolean {
    const content = this.byId.get(id);
    if (!content || --content.users > 0) return false;
    this.byId.delete(id);
    if (this.latest.get(content.digest) === content) this.latest.delete(content.digest);
    return true;
  }

  private create(digest: string, files: readonly Fingerprint[]): Content {
    const id = `${digest}.${this.created++}`;
    const content = { id, digest, files: [...files], opening: new Map(), revisions: new Map(), users: 1 };
    this.byId.set(id, content);
    this.latest.set(digest, content);
    return content;
  }
}

/** Returns the files of a content that a worker with these files has not read. */
export function furtherFiles({ files }: Content, fingerprints: readonly Fingerprint[]): Fingerprint[] {
  if (files.length === fingerprints.length) return [];
  const own = new Set(fingerprints.map(({ path }) => path));
  return files.filter(({ path }) => !own.has(path));
}

/**
 * Remembers files that were read.
 * @throws AcqError `source_changed` when one of them was in another state before
 */
export function addFiles(known: Fingerprint[], files: readonly Fingerprint[]): void {
  const byPath = new Map(known.map((file) => [file.path, file]));
  const added = files.filter((file) => {
    const before = byPath.get(file.path);
    if (before && !isSameFingerprint(before, file)) {
      throw new AcqError('source_changed', `${basename(file.path)} was modified`);
    }
    return !before;
  });
  known.push(...added);
}

/** Notes an open in progress until the returned function is called, with its revision when it has succeeded. */
export function noteOpen({ opening, revisions }: Content, what: string): (revision?: string) => void {
  opening.set(what, (opening.get(what) ?? 0) + 1);
  return (revision) => {
    const others = (opening.get(what) ?? 0) - 1;
    if (others > 0) opening.set(what, others);
    else opening.delete(what);
    if (revision !== undefined && revisions.size < MAX_REVISIONS) revisions.set(what, revision);
  };
}

/** True when the files that others have read from the content are still what they were. */
async function isUnchanged(content: Content, { fingerprints }: OpenedFile, lease: DecodeLease): Promise<boolean> {
  const further = furtherFiles(content, fingerprints);
  if (further.length === 0) return true;
  if (further.length > MAX_COMPARED_FILES) return false;
  try {
    await lease.check(further);
    return true;
  } catch (error) {
    if (error instanceof AcqError && error.code === 'source_changed') return false;
    throw error;
  }
}

/** Files that were added to the folder may change what the same files show: the shape is a part of the digest. */
function digestOf(path: string, { fingerprints, view, interpret, parts }: OpenedFile): string {
  const files = fingerprints.map((one) => stateOf(one).join('\0')).sort();
  const { scene, sceneCount, sceneIndex, format } = view;
  const image = ({ sizes, channels, sampleType }: Pick<typeof scene, 'sizes' | 'channels' | 'sampleType'>) => [
    sizes,
    channels.length,
    sampleType,
  ];
  const reference = scene.reference && [
    scene.reference.sizes,
    scene.reference.channels.length,
    scene.reference.sampleType,
  ];
  const facts = [path, files, format, sceneCount, sceneIndex, image(scene), reference, interpret, parts];
  return createHash('sha256').update(JSON.stringify(facts)).digest('hex');
}

function stateOf({ path, size, mtimeNs, ino, birthNs }: Fingerprint): unknown[] {
  return [path, size, mtimeNs, ino, birthNs];
}

/** Returns a digest of the state of files, in any order: 64 hexadecimal digits. */
export function toRevision(fingerprints: readonly Fingerprint[]): string {
  const lines = fingerprints.map((one) => JSON.stringify(stateOf(one)));
  return createHash('sha256').update(lines.sort().join('\n')).digest('hex');
}

/**
 * Planes of a session that is being opened. Those that others have are used. The others are in the cache, and counted,
 * before they are decoded, but nobody gets them before they are published.
 */
export class HeldPlanes {
  /** The planes to decode, once they are held. */
  readonly tasks: PlaneTask[] = [];
  /** Planes that others have, or are about to have; pinned. */
  readonly shared: Promise<PinnedPlane>[] = [];
  private readonly cache: PlaneCache;
  /** The session to come. */
  private readonly reader: PlaneUser;
  private readonly set: PlaneSet | null;
  private readonly type: SampleType;
  /** Channels whose planes nobody has. */
  private readonly missing: number[] = [];
  private readonly key: (channelIndex: number) => string;
  private readonly request: (channelIndex: number) => PlaneRequest;
  private readonly published = deferred();

  /**
   * Claims the planes that others have.
   * @param content that the planes belong to
   * @param shares planes that others have, or are about to have, are not decoded again
   */
  constructor(
    { cache, reader, content, shares }: { cache: PlaneCache; reader: PlaneUser; content: Content; shares: boolean },
    kind: AskedPlane['kind'],
    { scene, t, z, ...plan }: OpenPlan,
  ) {
    this.cache = cache;
    this.reader = reader;
    const set = kind === 'channel' ? plan.planes : plan.reference;
    this.set = set;
    const projection = kind === 'channel' ? plan.projection : undefined;
    const type = servedType(set?.sampleType, projection);
    this.type = type;
    const place = { scene, t, z, ...(projection ? { projection } : {}) };
    this.key = (channelIndex) => planeKey({ content: content.id, kind, channelIndex, type, ...place });
    this.request = (channelIndex) => toPlaneRequest(place, kind, channelIndex, type);
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
    const { cache, reader } = this;
    for (const channelIndex of this.missing) {
      const builder = new PlaneBuilder(cache.arena, this.set!.rows, this.set!.columns, this.type);
      this.tasks.push({ request: this.request(channelIndex), builder });
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
    for (const { builder } of this.tasks.splice(0)) {
      builder.giveUp(error);
      // A plane can be complete, and still be of two states of the file.
      builder.plane.then(
        ({ release }) => release(),
        () => {},
      );
    }
    this.published.reject(error);
  }

  /** Returns a sample that float32 cannot hold. Waits for the planes of others. */
  async rounding() {
    const own = await Promise.all(this.tasks.map(({ builder }) => builder.plane));
    const planes = [...own, ...(await Promise.all(this.shared))];
    const found = planes.flatMap(({ data }) => data.rounding ?? []);
    return found.find(({ isInfinite }) => isInfinite) ?? found[0];
  }

  /** Lets go of the planes that others have decoded. They stay claimed. */
  release(): void {
    for (const plane of this.shared.splice(0)) plane.then(({ release }) => release()).catch(() => {});
  }
}
