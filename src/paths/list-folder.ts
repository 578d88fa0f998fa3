/** What a folder contains that can be opened, or leads to something that can. */
import type { Dirent } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Probe } from '../acquisition.js';
import { extensionOf, FORMATS } from '../formats/index.js';
import { openError } from '../io/byte-source.js';
import { Confinement } from './confinement.js';
import { locateFolder } from './locate.js';
import { Crossing, type Details, type Look } from './look.js';
import type { PathPolicy } from './policy.js';

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
/** Folders of Windows that nobody keeps recordings in. */
const SYSTEM_FOLDERS = new Set(['$RECYCLE.BIN', 'System Volume Information']);

const order = new Intl.Collator('en', { numeric: true });

/**
 * Lists a folder: folders, and files that the server can open. Hidden entries, and links that lead out of the roots, are
 * left out.
 * @throws AcqError like `locateFolder`
 */
export function listFolder(path: string, policy: PathPolicy, look: Look, limits = LIST_LIMITS): FolderListing {
  const real = locateFolder(path, policy, look);
  const read = readEntries(real, look, limits.maxRead + 1);
  const names = read.slice(0, limits.maxRead).filter((entry) => isListed(entry, policy));
  names.sort((a, b) => order.compare(a.name, b.name) || (a.name < b.name ? -1 : 1));
  const confinement = new Confinement(policy, look);
  const lister = new Lister(policy, confinement, look, limits);
  return {
    path: real,
    parent: parentOf(real, confinement),
    entries: names.slice(0, limits.maxEntries).flatMap((entry) => lister.describe(join(real, entry.name), entry) ?? []),
    truncated: read.length > limits.maxRead || names.length > limits.maxEntries,
  };
}

/** Describes the entries of one folder, in limited time. */
class Lister {
  private readonly policy: PathPolicy;
  private readonly confinement: Confinement;
  private readonly look: Look;
  private readonly overdue: number;
  private peeks: number;

  constructor(policy: PathPolicy, confinement: Confinement, look: Look, { milliseconds, maxPeeks }: ListLimits) {
    this.policy = policy;
    this.confinement = confinement;
    this.look = look;
    this.overdue = performance.now() + milliseconds;
    this.peeks = maxPeeks;
  }

  /** Returns nothing for what is neither a file nor a folder, and for a link that leads out of the roots. */
  describe(path: string, entry: Dirent): FolderEntry | undefined {
    const { name } = entry;
    const target = this.targetOf(path, entry);
    if (!target) return undefined;
    const { kind, real } = target;
    const isFile = extensionOf(name, this.policy.allowedExtensions) !== undefined;
    if (kind === 'file' && !isFile) return undefined;
    const details = real !== undefined && this.hasTime() ? this.detailsOf(real) : undefined;
    return {
      ...{ name, path, kind },
      size: kind === 'file' ? (details?.size ?? null) : null,
      modified: details?.modified ?? null,
      openable: kind === 'file' || (real !== undefined && this.isAcquisition(real, name)),
    };
  }

  /** Follows a link. Without `real` it leads to another storage, which is not asked. */
  private targetOf(path: string, entry: Dirent): { kind: 'file' | 'folder'; real?: string } | undefined {
    if (entry.isDirectory()) return { kind: 'folder', real: path };
    if (entry.isFile()) return { kind: 'file', real: path };
    try {
      const target = this.look.find(path);
      if (!target || target.kind === 'other' || !this.confinement.allows(target.real)) return undefined;
      return { kind: target.kind, real: target.real };
    } catch (error) {
      if (!(error instanceof Crossing)) throw error;
      if (this.confinement.isConfined) return undefined;
      return { kind: extensionOf(entry.name, this.policy.allowedExtensions) === undefined ? 'folder' : 'file' };
    }
  }

  private hasTime(): boolean {
    return performance.now() < this.overdue;
  }

  private detailsOf(real: string): Details | undefined {
    return attempt(() => this.look.details(real));
  }

  private isAcquisition(real: string, name: string): boolean {
    const { allowedExtensions } = this.policy;
    const readable = FORMATS.filter(
      ({ opensFolders, extensions }) => opensFolders && extensions.some((one) => allowedExtensions.includes(one)),
    );
    // The name of a Zarr store says enough; other folders have any name.
    if (readable.some(({ extensions }) => extensionOf(name, extensions) !== undefined)) return true;
    if (this.peeks <= 0 || !this.hasTime()) return false;
    this.peeks--;
    const names = attempt(() => this.look.readFolder(real, PEEK_ENTRIES))?.map((entry) => entry.name);
    if (!names) return false;
    const probe: Probe = { name, kind: 'directory', head: new Uint8Array(0), entries: names, size: 0 };
    return readable.some((format) => format.sniff(probe) !== false);
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

function readEntries(real: string, look: Look, max: number): Dirent[] {
  try {
    return look.readFolder(real, max);
  } catch (error) {
    throw error instanceof Crossing ? error : openError(real, error);
  }
}

/** Judges by the name alone. A link can lead to a folder. */
function isListed(entry: Dirent, { allowedExtensions }: PathPolicy): boolean {
  const { name } = entry;
  if (name.startsWith('.') || SYSTEM_FOLDERS.has(name)) return false;
  if (!entry.isFile()) return true;
  return extensionOf(name, allowedExtensions) !== undefined && !isCompanion(name);
}

/** True for files that accompany an acquisition: opening one only answers what to open instead. */
function isCompanion(name: string): boolean {
  const probe: Probe = { name, kind: 'file', head: new Uint8Array(0), entries: [], size: 0 };
  return FORMATS.some((format) => format.openInstead?.(probe) !== undefined);
}

function parentOf(real: string, confinement: Confinement): string | null {
  const parent = dirname(real);
  if (parent === real || !confinement.allows(parent)) return null;
  return parent;
}
