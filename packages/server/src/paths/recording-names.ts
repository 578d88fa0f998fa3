/** Which names of a folder stand for recordings, and which accompany one. Judged by names alone; the readers know them. */
import { extensionOf, FORMATS } from '@acquisition-store/readers/formats/index.js';
import { nameKey } from '@acquisition-store/readers/io/name-index.js';
import type { Format, Probe } from '@acquisition-store/readers/model/acquisition.js';
import { homesOf } from './locate.js';
import { entryPath } from './look.js';

/** An entry of a folder. */
export interface NamedEntry {
  name: string;
  kind: 'file' | 'folder';
}

/** Folders of Windows that nobody keeps recordings in. */
const SYSTEM_FOLDERS = new Set(['$RECYCLE.BIN', 'System Volume Information']);

/** True for what lists of recordings leave out. */
export function isHiddenName(name: string): boolean {
  return name.startsWith('.') || SYSTEM_FOLDERS.has(name);
}

/** An entry that can be opened, or a folder to look into, with its companions beside it. */
export type WithCompanions<Entry extends NamedEntry> = Entry & { companions: Entry[] };

/**
 * Returns the entries that do not accompany another one, in their order: of the files only those with a readable extension.
 * @param folder absolute path
 * @param allowed extensions that may be opened
 */
export function withoutCompanions<Entry extends NamedEntry>(
  folder: string,
  entries: readonly Entry[],
  allowed: readonly string[],
): WithCompanions<Entry>[] {
  const byKey = new Map(entries.map((entry) => [nameKey(entry.name), entry]));
  const kept = new Map<Entry, WithCompanions<Entry>>();
  const parts: [Entry, Entry][] = [];
  for (const entry of entries) {
    const home = homeBeside(folder, entry, byKey, allowed);
    if (home) parts.push([entry, home]);
    else if (entry.kind === 'folder' || isOpenable(entry.name, allowed)) kept.set(entry, { ...entry, companions: [] });
  }
  // A companion of a companion belongs to what is kept.
  for (const [part, home] of parts) kept.get(home)?.companions.push(part);
  return [...kept.values()];
}

function homeBeside<Entry extends NamedEntry>(
  folder: string,
  { name, kind }: Entry,
  byKey: ReadonlyMap<string, Entry>,
  allowed: readonly string[],
): Entry | undefined {
  const path = entryPath(folder, name);
  const start = path.length - name.length;
  for (const home of homesOf(path, kind, allowed)) {
    const beside = home.startsWith(path.slice(0, start)) ? byKey.get(nameKey(home.slice(start))) : undefined;
    if (beside && beside.name !== name) return beside;
  }
  return undefined;
}

function isOpenable(name: string, allowed: readonly string[]): boolean {
  return extensionOf(name, allowed) !== undefined && !isCompanionName(name);
}

const WITH_COMPANIONS = FORMATS.filter(({ openInstead }) => openInstead);
const NOTHING = new Uint8Array(0);

/** True for files that accompany an acquisition: opening one only answers what to open instead. */
export function isCompanionName(name: string): boolean {
  const probe: Probe = { name, kind: 'file', head: NOTHING, entries: [], size: 0 };
  return WITH_COMPANIONS.some((format) => format.openInstead?.(probe) !== undefined);
}

/** Extensions of files that are recordings whenever they are whole: others also name files of other programs. */
const OWN = FORMATS.flatMap(({ fileTypes = [] }) => fileTypes.flatMap(({ extensions }) => extensions));

/** False for a name that files of other programs have too, such as any XML. */
export function isOwnName(name: string): boolean {
  return extensionOf(name, OWN) !== undefined;
}

/** Returns the name of a format for lists: without the kinds in parentheses. */
export function shortNameOf({ label }: Format): string {
  return label.replace(/ \(.*/, '');
}
