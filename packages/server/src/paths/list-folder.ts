/** What a folder contains that can be opened, or leads to something that can. */
import type { Dirent } from 'node:fs';
import { dirname } from 'node:path';
import { extensionOf, FORMATS } from '@acquisition-store/readers/formats/index.js';
import type { Probe } from '@acquisition-store/readers/model/acquisition.js';
import { Confinement } from './confinement.js';
import { type Held, withFolder, withHeld } from './held.js';
import { Crossing, entryPath, type Look } from './look.js';
import { sortByName } from './natural-order.js';
import type { PathPolicy } from './policy.js';
import { isCompanionName, isHiddenName } from './recording-names.js';

export interface FolderEntry {
  name: string;
  /** Absolute path. */
  path: string;
  kind: 'file' | 'folder';
  /** Bytes; null for a folder, and when the drive is too slow to ask for each file. */
  size: number | null;
  /** Milliseconds since 1970; null when unknown. */
  modified: number | null;
  /** True for what the server can open, judged by names. */
  openable: boolean;
}

export interface FolderListing {
  /** Real absolute path. */
  path: string;
  /** The folder above; null when it cannot be listed. */
  parent: string | null;
  /** In natural order: `scan 2` before `scan 10`. */
  entries: FolderEntry[];
  /** True when the folder contains more than `entries`. */
  truncated: boolean;
  /** Entries that cannot be opened, and are not listed, because their names are not UTF-8; missing when there are none. */
  notUtf8?: number;
}

export interface ListLimits {
  maxEntries: number;
  /** Max entries that are read, most of which may be of other kinds. */
  maxRead: number;
  /** Max folders that are looked into, for acquisitions. */
  maxPeeks: number;
  /** Milliseconds for sizes, times and looks into folders. */
  milliseconds: number;
}

export const LIST_LIMITS: ListLimits = { maxEntries: 10_000, maxRead: 200_000, maxPeeks: 500, milliseconds: 1_500 };

/** Names that are enough to recognize an acquisition. */
const PEEK_ENTRIES = 256;

/**
 * Lists a folder: folders, and files that the server can open. Hidden entries, and links that lead out of the roots, are
 * left out.
 * @throws AcqError like `withFolder`
 */
export function listFolder(path: string, policy: PathPolicy, look: Look, limits = LIST_LIMITS): FolderListing {
  return withFolder(path, policy, look, (folder) => {
    const read = folder.readFolder(limits.maxRead + 1);
    const confinement = new Confinement(policy, look);
    return toListing(read, new FolderLister({ folder, policy, confinement, look }, limits), limits);
  });
}

function toListing(
  { entries, notUtf8, isComplete }: ReturnType<Held['readFolder']>,
  lister: FolderLister,
  limits: ListLimits,
): FolderListing {
  const isListed = (entry: Dirent) => lister.isListed(entry);
  const names = sortByName(entries.filter(isListed));
  const unnamed = notUtf8.filter(isListed).length;
  return {
    ...lister.place(),
    entries: names.slice(0, limits.maxEntries).flatMap((entry) => lister.describe(entry) ?? []),
    truncated: !isComplete || names.length > limits.maxEntries,
    ...(unnamed > 0 ? { notUtf8: unnamed } : {}),
  };
}

interface ListContext {
  folder: Held;
  policy: PathPolicy;
  confinement: Confinement;
  look: Look;
}

/** Describes the entries of one folder, in limited time. */
export class FolderLister {
  private readonly context: ListContext;
  private readonly overdue: number;
  private peeks: number;

  constructor(context: ListContext, { milliseconds, maxPeeks }: ListLimits) {
    this.context = context;
    this.overdue = performance.now() + milliseconds;
    this.peeks = maxPeeks;
  }

  place(): Pick<FolderListing, 'path' | 'parent'> {
    const { folder, confinement } = this.context;
    const { real } = folder.entry;
    return { path: real, parent: parentOf(real, confinement) };
  }

  get allowed(): readonly string[] {
    return this.context.policy.allowedExtensions;
  }

  /** Judges by the name alone. A link can lead to a folder. */
  isListed(entry: Dirent): boolean {
    const { name } = entry;
    if (isHiddenName(name)) return false;
    if (!entry.isFile()) return true;
    return this.hasExtension(name) && !isCompanionName(name);
  }

  hasExtension(name: string): boolean {
    return extensionOf(name, this.allowed) !== undefined;
  }

  /** Tells size and time of an entry, while there is time. */
  timedFacts(name: string): ReturnType<Held['factsOf']> | undefined {
    return this.hasTime() ? attempt(() => this.context.folder.factsOf(name)) : undefined;
  }

  /** Reads the start of a file, also of one that a link leads to, while there is time. */
  headOf(entry: Dirent, bytes: number): Uint8Array | undefined {
    const target = this.targetOf(entryPath(this.context.folder.entry.real, entry.name), entry);
    return target?.real === undefined ? undefined : this.timed(target.real, (held) => held.readHead(bytes));
  }

  /** Reads something from what is at a path without links, if it may be told, while there is time. */
  timed<T>(real: string, read: (held: Held) => T): T | undefined {
    return this.hasTime() ? this.held(real, read) : undefined;
  }

  /** Returns nothing for what is neither a file nor a folder, and for a link that leads out of the roots. */
  describe(entry: Dirent): FolderEntry | undefined {
    const { folder, policy } = this.context;
    const { name } = entry;
    const path = entryPath(folder.entry.real, name);
    const target = this.targetOf(path, entry);
    if (!target) return undefined;
    const { kind, real } = target;
    const isNamed = entry.isFile() || extensionOf(name, policy.allowedExtensions) !== undefined;
    if (kind === 'file' && !isNamed) return undefined;
    const facts = real !== undefined && this.hasTime() ? this.factsOf(name, { path, real }) : undefined;
    return {
      name,
      path,
      kind,
      size: kind === 'file' ? (facts?.size ?? null) : null,
      modified: facts?.modified ?? null,
      openable: kind === 'file' || (real !== undefined && this.isAcquisition(real, name)),
    };
  }

  /** Follows a link. Without `real` it leads to another storage, which is not asked. */
  private targetOf(path: string, entry: Dirent): { kind: 'file' | 'folder'; real?: string } | undefined {
    const { policy, confinement, look } = this.context;
    if (entry.isDirectory()) return { kind: 'folder', real: path };
    if (entry.isFile()) return { kind: 'file', real: path };
    try {
      const target = look.find(path);
      if (!target || target.kind === 'other' || !confinement.allows(target.real)) return undefined;
      return { kind: target.kind, real: target.real };
    } catch (error) {
      if (!(error instanceof Crossing)) throw error;
      if (confinement.isConfined) return undefined;
      return { kind: extensionOf(entry.name, policy.allowedExtensions) === undefined ? 'folder' : 'file' };
    }
  }

  private hasTime(): boolean {
    return performance.now() < this.overdue;
  }

  private factsOf(name: string, { path, real }: { path: string; real: string }) {
    if (real === path) return attempt(() => this.context.folder.factsOf(name));
    return this.held(real, ({ entry }) => entry);
  }

  private isAcquisition(real: string, name: string): boolean {
    const { allowedExtensions } = this.context.policy;
    const readable = FORMATS.filter(
      ({ opensFolders, extensions }) => opensFolders && extensions.some((one) => allowedExtensions.includes(one)),
    );
    // The name of a Zarr store says enough; other folders have any name.
    if (readable.some(({ extensions }) => extensionOf(name, extensions) !== undefined)) return true;
    if (this.peeks <= 0 || !this.hasTime()) return false;
    this.peeks--;
    const names = this.held(real, (folder) => folder.readFolder(PEEK_ENTRIES))?.entries.map((entry) => entry.name);
    if (!names) return false;
    const probe: Probe = { name, kind: 'directory', head: new Uint8Array(0), entries: names, size: 0 };
    return readable.some((format) => format.sniff(probe) !== false);
  }

  /** Reads something from what is at a path, if it may be told. */
  private held<T>(real: string, read: (held: Held) => T): T | undefined {
    const { confinement, look } = this.context;
    return attempt(() =>
      withHeld(real, look, (held) => (confinement.allowsEntry(held.entry, real) ? read(held) : undefined)),
    );
  }
}

/** Returns nothing where the system, or the storage, does not allow a look. */
function attempt<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch {
    return undefined;
  }
}

function parentOf(real: string, confinement: Confinement): string | null {
  const parent = dirname(real);
  if (parent === real || !confinement.allows(parent)) return null;
  return parent;
}
