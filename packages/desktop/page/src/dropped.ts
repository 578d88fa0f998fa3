/** What was dropped on the window: a path where the window knows it, otherwise the name, size and time of a file. */

import { fileLink, looksLikePath, toPaths } from '../../../viewer/src/app/path-text.ts';
import type { DroppedFile } from '../../src/supervisor/protocol.ts';

export interface FileToFind extends DroppedFile {
  /** True when the folder is the acquisition, and the file only tells where it is. */
  readonly opensFolder?: boolean;
}

/** An acquisition to open. */
export interface DroppedItem {
  readonly name: string;
  /** The file by which it can be found; missing for an empty folder. */
  readonly file?: FileToFind;
}

/** A drop of more was probably not intended. */
const MAX_ITEMS = 8;
const PATH_TYPES = ['text/uri-list', 'text/plain'];

/** False for what is dragged within the page. */
export function canBeFile(transfer: DataTransfer | null): boolean {
  return transfer?.types.some((type) => type === 'Files' || type === 'text/uri-list') ?? false;
}

/** Returns the paths on this computer that a drop tells. Those of other computers, `\\server\file`, are not among them. */
export function readPaths(transfer: DataTransfer): string[] {
  const texts = PATH_TYPES.map((type) => transfer.getData(type));
  texts.push(fileLink(transfer.getData('text/html')));
  const lists = texts.map((text) =>
    toPaths(text, MAX_ITEMS).filter((path) => looksLikePath(path) && !/^[\\/]{2}/.test(path)),
  );
  return lists.find((paths) => paths.length > 0) ?? [];
}

/**
 * Reads the dropped files and folders, those of the given extensions first. Call it in the handler of the event: later the
 * drop is empty.
 */
export function readItems(transfer: DataTransfer): (extensions: readonly string[]) => Promise<DroppedItem[]> {
  const items = [...transfer.items].filter(({ kind }) => kind === 'file');
  const entries = items.map((item) => ({ entry: item.webkitGetAsEntry?.() ?? null, file: item.getAsFile() }));
  return async (extensions) => {
    const openable = (name: string) => extensions.some((extension) => name.toLowerCase().endsWith(extension));
    const names = entries.map(({ entry, file }) => entry?.name ?? file?.name ?? '');
    // Of an acquisition in several files, one opens the others.
    const main = names.filter((name) => /\.xml$/i.test(name) && openable(name));
    const chosen = main.length > 0 ? main : names.filter(openable);
    const wanted = entries.filter((_, i) => chosen.length === 0 || chosen.includes(names[i] ?? '')).slice(0, MAX_ITEMS);
    return Promise.all(wanted.map(({ entry, file }) => toItem(entry, file, openable)));
  };
}

async function toItem(
  entry: FileSystemEntry | null,
  file: File | null,
  openable: (name: string) => boolean,
): Promise<DroppedItem> {
  if (!entry?.isDirectory) return file ? { name: file.name, file: describe(file) } : { name: entry?.name ?? '' };
  const inner = (await firstFiles(entry as FileSystemDirectoryEntry)).sort((a, b) => a.name.localeCompare(b.name));
  const main = inner.find(({ name }) => /\.xml$/i.test(name)) ?? inner.find(({ name }) => openable(name));
  const known = main ?? inner[0];
  if (!known) return { name: entry.name };
  const found = await new Promise<File>((resolve, reject) => known.file(resolve, reject));
  return { name: entry.name, file: { ...describe(found), folder: entry.name, opensFolder: !main } };
}

/** Returns files that are directly in a folder: some of them when there are many. */
async function firstFiles(folder: FileSystemDirectoryEntry): Promise<FileSystemFileEntry[]> {
  const entries = await new Promise<FileSystemEntry[]>((resolve, reject) =>
    folder.createReader().readEntries(resolve, reject),
  );
  return entries.filter((entry): entry is FileSystemFileEntry => entry.isFile);
}

function describe({ name, size, lastModified }: File): DroppedFile {
  return { name, size, modified: lastModified };
}
