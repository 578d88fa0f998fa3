import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import { AcqError } from '@acquisition-store/readers/base/errors.js';
import type { DecodeLease, OpenedFile } from '../decode/types.js';
import { type Fingerprint, isSameFingerprint } from '../platform-node/file-source.js';

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
  return (await lease.check(further)).changes.length === 0;
}

/** Files that were added to the folder may change what the same files show: the shape is a part of the digest. */
function digestOf(path: string, { fingerprints, view, interpret, parts }: OpenedFile): string {
  const files = fingerprints.map(({ path: file, size, mtimeNs, ino }) => [file, size, mtimeNs, ino].join('\0')).sort();
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
