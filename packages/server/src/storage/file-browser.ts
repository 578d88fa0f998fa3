/** Ways to find a file without knowing its path: lists of folders, and copies of a file that somebody dropped. */
import { basename } from 'node:path';
import { AcqError } from '@acquisition-store/readers/base/errors.js';
import type { Who } from '../fair-line.js';
import type { KnownFile } from '../paths/find-copies.js';
import type { FolderEntry } from '../paths/list-folder.js';
import type { AskedRecordings } from '../paths/list-recordings.js';
import type { PathPolicy } from '../paths/policy.js';
import { withDeadline } from '../waiting.js';
import type { StorageGate } from './gate.js';
import type { ListedFolder } from './protocol.js';

export interface FileBrowserOptions {
  gate: StorageGate;
  policy: PathPolicy;
  /** Home folder of the user who runs the server. */
  home: string;
}

export interface AskedFolder {
  /** Absolute. */
  path: string;
  /** What the caller wrote. */
  written: string;
  /** Set to list recordings, from a cursor on. */
  recordings?: AskedRecordings;
}

/** Who looks for files. */
export interface Browsing {
  /** Folders of the caller, instead of the roots. */
  folders?: readonly string[];
  who?: Who;
}

/** A list of folders; `path` is null for the places to start from. */
export interface Listing extends Omit<ListedFolder, 'path'> {
  path: string | null;
}

/** Milliseconds that a search takes at most. */
const SEARCH_MS = 1_000;
/** The same with the start of its threads, for which a busy machine may need seconds. */
const ABANDON_MS = 3_000;
/** Where desktops mount drives. */
const DRIVES = ['/media', '/run/media', '/mnt', '/Volumes'];

export class FileBrowser {
  private readonly options: FileBrowserOptions;

  constructor(options: FileBrowserOptions) {
    this.options = options;
  }

  /**
   * Lists a folder, or the places to start from: the roots, or else the home folder and the drives.
   * @param folder absolute; `written` is what the caller wrote
   * @throws AcqError `path_not_found`, `path_not_allowed`, `path_not_readable`, `storage_unavailable`; the signal's reason
   */
  async list(folder: AskedFolder | undefined, signal: AbortSignal, { folders, who }: Browsing = {}): Promise<Listing> {
    const { gate } = this.options;
    const policy = this.policyFor(folders);
    if (folder) {
      const { path, written, recordings } = folder;
      return gate.lookups.run(
        { kind: 'list', path, policy: { ...policy, written }, ...(recordings ? { recordings } : {}) },
        signal,
        who,
      );
    }
    const places = folders ? await this.existing(folders, signal, who) : policy.roots;
    const all = folders || places.length > 0 ? places : await this.places(signal, who);
    return { path: null, parent: null, entries: [...new Set(all)].map(toPlace), truncated: false };
  }

  /**
   * Returns where a file of equal name, size and time lies: in folders from which something was opened, and below the
   * roots. Stops after a second, with what was found until then.
   */
  async locate(file: KnownFile, signal: AbortSignal, { folders, who }: Browsing = {}): Promise<string[]> {
    const { gate } = this.options;
    const policy = this.policyFor(folders);
    const roots = folders ?? policy.roots;
    const searches = [
      ...[...gate.openedFolders].reverse().map((folder) => ({ folder, deep: false })),
      ...roots.flatMap((root) => [root, ...gate.mountsBelow(root)]).map((folder) => ({ folder, deep: true })),
    ];
    const timeout = () => new AcqError('load_timeout', 'the search took too long', { subject: file.name });
    const found = new Set<string>();
    await withDeadline({ milliseconds: ABANDON_MS, timeout, signals: [signal] }, async (within) => {
      const searchIn = async (place: { folder: string; deep: boolean }) => {
        const search = { ...place, milliseconds: SEARCH_MS };
        // A storage that does not answer has nothing to offer.
        const paths = await gate.lookups
          .run({ kind: 'search', path: place.folder, file, search, policy }, within, who)
          .catch((): string[] => []);
        for (const path of paths) found.add(path);
      };
      await Promise.all(searches.map(searchIn));
    });
    signal.throwIfAborted();
    return [...found];
  }

  private policyFor(folders: readonly string[] | undefined): PathPolicy {
    const { policy } = this.options;
    return folders ? { ...policy, folders } : policy;
  }

  private async places(signal: AbortSignal, who?: Who): Promise<string[]> {
    const { gate, policy, home } = this.options;
    if (policy.platform === 'win32') return [home, ...(await this.windowsDrives(signal, who))];
    const mounted = gate.mountsBelow('/').filter((point) => DRIVES.some((folder) => point.startsWith(`${folder}/`)));
    return [home, '/', ...mounted];
  }

  private async windowsDrives(signal: AbortSignal, who?: Who): Promise<string[]> {
    const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'].map((letter) => `${letter}:\\`);
    return this.existing(letters, signal, who);
  }

  /** Returns the paths at which something is. Those on a drive that does not answer are left out. */
  private async existing(paths: readonly string[], signal: AbortSignal, who?: Who): Promise<string[]> {
    const timeout = () => new AcqError('storage_unavailable', 'A drive does not answer.');
    const exists = (path: string) =>
      withDeadline({ milliseconds: SEARCH_MS, timeout, signals: [signal] }, (within) =>
        this.options.gate.lookups.run({ kind: 'find', path }, within, who),
      ).then(
        () => true,
        () => false,
      );
    const answers = await Promise.all(paths.map(exists));
    return paths.filter((_, i) => answers[i]);
  }
}

function toPlace(path: string): FolderEntry {
  return { name: basename(path) || path, path, kind: 'folder', size: null, modified: null, openable: false };
}
