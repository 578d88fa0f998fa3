/** Files and folders that were dropped on the page, or chosen in it, as acquisitions to open. */
import type { GivenFile, GivenFiles } from '../model/client.ts';

/** With the time of its last change, by which the server may find it. */
export interface DroppedFile extends GivenFile {
  readonly data: File;
}

export interface DroppedGroup extends GivenFiles {
  readonly files: readonly DroppedFile[];
}

interface Grouped {
  readonly groups: readonly DroppedGroup[];
  /** Names of files that belong to no acquisition. */
  readonly refused: readonly string[];
}

/** Reads what was dropped, folders with everything below. Call it in the handler of the event: later it is empty. */
export async function readDropped(transfer: DataTransfer): Promise<DroppedFile[]> {
  const files = [...transfer.files].map((data) => ({ path: data.name, data }));
  const items = [...transfer.items].filter(({ kind }) => kind === 'file');
  const entries = items.map((item) => item.webkitGetAsEntry?.() ?? null);
  if (entries.length === 0 || entries.includes(null)) return files;
  return (await Promise.all(entries.map((entry) => readEntry(entry!, '')))).flat();
}

/** Returns files that were chosen in the dialog of the browser; those of a folder have their path. */
export function readChosen(files: Iterable<File>): DroppedFile[] {
  return [...files].map((data) => ({ path: data.webkitRelativePath || data.name, data }));
}

async function readEntry(entry: FileSystemEntry, folder: string): Promise<DroppedFile[]> {
  const path = folder + entry.name;
  if (entry.isFile) {
    const data = await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject));
    return [{ path, data }];
  }
  const files: DroppedFile[] = [];
  for (const inner of await readFolder(entry as FileSystemDirectoryEntry)) {
    files.push(...(await readEntry(inner, `${path}/`)));
  }
  return files;
}

/** A reader returns some entries at a time. */
async function readFolder(folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = folder.createReader();
  const all: FileSystemEntry[] = [];
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (some.length === 0) return all;
    all.push(...some);
  }
}

/**
 * Sorts dropped files into acquisitions: each folder is one, and each file with a known extension, together with its
 * companions: `scan.oif` with the folder `scan.oif.files`, the XML of Prairie View with the files beside it, and files that
 * start with the name.
 */
export function groupDropped(files: readonly DroppedFile[], extensions: readonly string[]): Grouped {
  const groups = new Map<string, DroppedFile[]>();
  const mains = files.map(({ path }) => path).filter((path) => isMain(path, extensions));
  const xml = mains.find((path) => /\.xml$/i.test(path));
  const refused: string[] = [];
  for (const file of files) {
    const name = ownerOf(file.path, mains, xml);
    if (name === undefined) refused.push(file.path);
    else groups.set(name, [...(groups.get(name) ?? []), file]);
  }
  return { groups: [...groups].map(([name, inside]) => ({ name, files: inside })), refused };
}

function isMain(path: string, extensions: readonly string[]): boolean {
  const lower = path.toLowerCase();
  return !path.includes('/') && extensions.some((extension) => lower.endsWith(extension));
}

function ownerOf(path: string, mains: readonly string[], xml: string | undefined): string | undefined {
  const [top = '', ...rest] = path.split('/');
  if (rest.length > 0) return mains.find((name) => top === `${name}.files`) ?? top;
  if (xml !== undefined) return xml;
  if (mains.includes(top)) return top;
  const stem = (name: string) => name.replace(/\.[^.]*$/, '');
  return mains.find((name) => top.startsWith(stem(name)));
}

/** Returns the file by which the server may find an acquisition again: the main file, also inside a dropped folder. */
export function knownFile({ name, files }: DroppedGroup, extensions: readonly string[]): File | undefined {
  const own = files.find(({ path }) => path === name);
  if (own) return own.data;
  const inside = files.filter(({ path }) => path.split('/').length === 2 && isMain(path.split('/')[1]!, extensions));
  return (inside.find(({ path }) => /\.xml$/i.test(path)) ?? inside[0])?.data;
}
