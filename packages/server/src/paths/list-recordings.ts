/** The recordings of a folder: each once, by the names of its files and their first bytes. */
import type { Dirent } from 'node:fs';
import { HEAD_BYTES } from '@acquisition-store/readers/model/input-beside.js';
import { chooseFormat } from '@acquisition-store/readers/open/open-input.js';
import { Confinement } from './confinement.js';
import { type Held, withFolder } from './held.js';
import { type FolderEntry, FolderLister, type FolderListing, LIST_LIMITS, type ListLimits } from './list-folder.js';
import { entryPath, type Look } from './look.js';
import { sortByName } from './natural-order.js';
import type { PathPolicy } from './policy.js';
import {
  isHiddenName,
  isOwnName,
  type NamedEntry,
  shortNameOf,
  type WithCompanions,
  withoutCompanions,
} from './recording-names.js';
import { type ListedName, type NamedRecordings, rememberNames } from './remembered-names.js';

/** What names and first bytes tell of a recording. */
export interface RecordingFacts {
  /** Name of the format for people; null when the first bytes do not tell, or were not read in time. */
  format: string | null;
  /** Files and folders beside each other that belong to it. */
  files: number;
}

/** One answer: the recordings and folders after those of earlier answers. */
export interface RecordingListing extends FolderListing {
  entries: (FolderEntry & { recording?: RecordingFacts })[];
  /** Where the next answer goes on; missing in the last one. */
  next?: string;
}

export interface RecordingLimits extends ListLimits {
  /** Entries of one answer. */
  page: number;
  /** Files of a folder whose sizes are added up. */
  maxInside: number;
}

/** Every folder of an answer may be looked into. */
export const RECORDING_LIMITS: RecordingLimits = { ...LIST_LIMITS, page: 1_000, maxPeeks: 1_000, maxInside: 1_000 };

/** Which recordings to list. */
export interface AskedRecordings {
  /** Name after which the list goes on: `next` of the answer before. */
  cursor: string | undefined;
  /** Entries of the answer, when fewer than usual are wanted. */
  page?: number;
  /** Files are not looked into: their format stays unknown, and those of other programs are listed. */
  namesOnly?: boolean;
}

/**
 * Lists a folder like `listFolder`, but files that accompany others are left out, and so are those of other programs.
 * @throws AcqError like `withFolder`
 */
export function listRecordings(
  path: string,
  policy: PathPolicy,
  look: Look,
  { cursor, page, namesOnly = false }: AskedRecordings = { cursor: undefined },
  limits = RECORDING_LIMITS,
): RecordingListing {
  return withFolder(path, policy, look, (folder) => {
    const confinement = new Confinement(policy, look);
    const lister = new FolderLister({ folder, policy, confinement, look }, limits);
    const { allowedExtensions } = policy;
    const read = rememberNames(folder.entry, allowedExtensions, () => readRecordings(folder, lister, limits));
    const all = after(cursor, read.all);
    const shown = all.slice(0, page ?? limits.page);
    const describer = new RecordingDescriber(lister, folder, { ...limits, namesOnly });
    const unnamed = cursor === undefined ? read.notUtf8.filter((entry) => lister.isListed(entry)).length : 0;
    return {
      ...lister.place(),
      entries: shown.flatMap((one) => describer.describe(one) ?? []),
      truncated: !read.isComplete,
      ...(unnamed > 0 ? { notUtf8: unnamed } : {}),
      ...(all.length > shown.length ? { next: shown.at(-1)!.name } : {}),
    };
  });
}

function readRecordings(folder: Held, lister: FolderLister, { maxRead }: RecordingLimits): NamedRecordings {
  const { entries, notUtf8, isComplete } = folder.readFolder(maxRead + 1);
  const names = entries.flatMap((entry) => toListedName(entry, lister));
  return { all: sortByName(withoutCompanions(folder.entry.real, names, lister.allowed)), notUtf8, isComplete };
}

/** A link counts as what its name says. */
function toListedName(entry: Dirent, lister: FolderLister): ListedName[] {
  const { name } = entry;
  if (isHiddenName(name)) return [];
  const isFolder = entry.isDirectory() || (!entry.isFile() && !lister.hasExtension(name));
  return [{ name, kind: isFolder ? 'folder' : 'file', entry }];
}

/** Returns the names behind one that may be gone by now. */
function after<T extends { name: string }>(cursor: string | undefined, sorted: readonly T[]): readonly T[] {
  if (cursor === undefined) return sorted;
  const at = sorted.findIndex(({ name }) => name === cursor);
  if (at >= 0) return sorted.slice(at + 1);
  const place = sortByName([...sorted.map(({ name }) => ({ name })), { name: cursor }]);
  return sorted.slice(place.findIndex(({ name }) => name === cursor));
}

class RecordingDescriber {
  private readonly lister: FolderLister;
  private readonly folder: Held;
  private readonly limits: RecordingLimits & { namesOnly: boolean };

  constructor(lister: FolderLister, folder: Held, limits: RecordingDescriber['limits']) {
    this.lister = lister;
    this.folder = folder;
    this.limits = limits;
  }

  describe({ entry, companions }: WithCompanions<ListedName>): RecordingListing['entries'][number] | undefined {
    const told = this.lister.describe(entry);
    if (!told?.openable) return told;
    const isLookedInto = told.kind === 'file' && !this.limits.namesOnly;
    const format = isLookedInto ? this.formatOf(entry, told.size) : null;
    // Files of other programs have some of the extensions, too: any XML, any archive.
    if (format === undefined && !isOwnName(told.name)) return undefined;
    const { size, modified } = this.sumOf(told, companions);
    return {
      ...told,
      size,
      modified,
      recording: { format: format ?? null, files: 1 + companions.length },
    };
  }

  /** Adds up what belongs together; null where something was not looked at. */
  private sumOf(told: FolderEntry, companions: readonly NamedEntry[]): Pick<FolderEntry, 'size' | 'modified'> {
    let size = told.kind === 'folder' ? this.sizeInside(told.path) : told.size;
    let { modified } = told;
    for (const { name, kind } of companions) {
      const facts = this.lister.timedFacts(name);
      const bytes = kind === 'folder' ? this.sizeInside(entryPath(this.folder.entry.real, name)) : facts?.size;
      size = size === null || bytes === undefined || bytes === null ? null : size + bytes;
      if (modified !== null && facts) modified = Math.max(modified, facts.modified);
    }
    return { size, modified };
  }

  /** Returns the name of the format; `undefined` when the first bytes are of none. */
  private formatOf(entry: Dirent, size: number | null): string | null | undefined {
    const { name } = entry;
    const head = this.lister.headOf(entry, HEAD_BYTES);
    if (!head || size === null) return null;
    try {
      return shortNameOf(chooseFormat({ name, kind: 'file', head, entries: [], size }, this.lister.allowed));
    } catch {
      return undefined;
    }
  }

  /** Returns the bytes of the files directly in a folder; null for one with folders, or too many files. */
  private sizeInside(path: string): number | null {
    const size = this.lister.timed(path, (held) => {
      const { entries, isComplete } = held.readFolder(this.limits.maxInside);
      if (!isComplete || !entries.every((entry) => entry.isFile())) return null;
      return entries.reduce((sum, { name }) => sum + held.factsOf(name).size, 0);
    });
    return size ?? null;
  }
}
