/** Looks at the files of an acquisition again and again, for those who follow a recording. Reads no content. */
import { lstatSync } from 'node:fs';
import { basename, dirname, extname, join } from 'node:path';
import { type Fingerprint, toFileFacts } from '../platform-node/file-source.js';
import { withHeld } from './held.js';
import { Crossing, type Look } from './look.js';

export interface WatchRequest {
  /** Real absolute path of the acquisition. */
  path: string;
  /** Real absolute paths of files that were read. */
  files: readonly string[];
  /** The acquisition is a set of files side by side: others whose names differ in their number may join it. */
  isSet: boolean;
  /** Folders that the last look has listed: those that are as they were are not listed again. */
  seen: readonly SeenFolder[];
}

export interface SeenFile {
  path: string;
  /** Nothing when it is missing, or not accessible. */
  facts: Omit<Fingerprint, 'path'> | undefined;
}

export interface SeenFolder {
  path: string;
  mtimeNs: string;
  /** Number of names in it, up to a limit. */
  entries: number;
  /** Folders inside that are looked at, too. */
  inside: readonly string[];
  /** Its last files: the ones that may be about to be written. */
  last: readonly string[];
}

export interface Sight {
  files: SeenFile[];
  /** Folders of the acquisition, whatever comes into them. */
  folders: SeenFolder[];
  /** The folder that a set lies in among other files. */
  shared: SeenFolder | undefined;
  /** The last files of the folders. */
  last: SeenFile[];
}

/** Bounds of one look: a recording may have a million chunks. */
const MAX_FILES = 1_000;
const FIRST_FILES = 100;
const MAX_FOLDERS = 256;
const MAX_ENTRIES = 20_000;
/** Of the folders in a folder: levels of a pyramid are the first ones, the time point being recorded is the last one. */
const FIRST_FOLDERS = 2;
const LAST_FOLDERS = 6;
/** The last ones by name, and by the last number in it: a recording may have a file for each channel of a time point. */
const LAST_FILES = 2;
const HIGHEST_FILES = 4;

/** Two changes within this time may have one time stamp: FAT counts in steps of 2 s. */
const YOUNG_MS = 2_000;

const collator = new Intl.Collator('en', { numeric: true });

/** Returns what is there now. @throws Crossing for a storage that `look` may not touch */
export function watchFiles({ path, files, isSet, seen }: WatchRequest, look: Look): Sight {
  const known = new Map(seen.map((folder) => [folder.path, folder]));
  const watched = firstAndLast(files);
  const isFolder = statsOf(path, look)?.isDirectory() === true;
  const beside = dirname(path);
  const tops = isFolder ? [path] : [...new Set(files.map((file) => dirname(file)))].filter((top) => top !== beside);
  const folders = walk(tops, known, look);
  const shared = isSet && !isFolder ? seeFolder(beside, known.get(beside), look, familyOf(path)) : undefined;
  const last = [...folders, ...(shared ? [shared] : [])].flatMap((folder) => folder.last);
  return { files: watched.map((file) => see(file, look)), folders, shared, last: last.map((file) => see(file, look)) };
}

/** Returns those of the files of an acquisition that are looked at: of very many, the first and the last ones. */
export function firstAndLast<T>(files: readonly T[]): readonly T[] {
  return files.length > MAX_FILES ? [...files.slice(0, FIRST_FILES), ...files.slice(FIRST_FILES - MAX_FILES)] : files;
}

/** Looks at folders and those inside them, the outer ones first. */
function walk(tops: readonly string[], known: ReadonlyMap<string, SeenFolder>, look: Look): SeenFolder[] {
  const folders: SeenFolder[] = [];
  const rest = [...tops];
  for (let next = rest.shift(); next !== undefined && folders.length < MAX_FOLDERS; next = rest.shift()) {
    const folder = seeFolder(next, known.get(next), look);
    if (!folder) continue;
    folders.push(folder);
    rest.push(...folder.inside);
  }
  return folders;
}

/** Returns nothing for what is not a folder. @param counts which names count; all of them when omitted */
function seeFolder(
  path: string,
  before: SeenFolder | undefined,
  look: Look,
  counts: (name: string) => boolean = () => true,
): SeenFolder | undefined {
  const stats = statsOf(path, look);
  if (!stats?.isDirectory()) return undefined;
  const facts = toFileFacts(stats);
  if (before?.mtimeNs === facts.mtimeNs && !isYoung(facts)) return before;
  const entries = orNothing(() => withHeld(path, look, (held) => held.readFolder(MAX_ENTRIES).entries)) ?? [];
  const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  const names = entries.filter((entry) => entry.isFile() && counts(entry.name)).map(({ name }) => name);
  const firsts = pick(folders, FIRST_FOLDERS, (a, b) => collator.compare(a, b));
  const lasts = pick(folders, LAST_FOLDERS, (a, b) => collator.compare(b, a));
  return {
    path,
    mtimeNs: facts.mtimeNs,
    entries: entries.length,
    inside: [...new Set([...firsts, ...lasts])].map((name) => join(path, name)),
    last: lastOf(names).map((name) => join(path, name)),
  };
}

function isYoung({ mtimeNs }: Pick<Fingerprint, 'mtimeNs'>): boolean {
  return Math.abs(Date.now() - Number(mtimeNs) / 1e6) < YOUNG_MS;
}

function lastOf(names: readonly string[]): string[] {
  const backwards = (a: string, b: string) => collator.compare(b, a);
  const highest = pick(names, HIGHEST_FILES, (a, b) => numberOf(b) - numberOf(a) || backwards(a, b));
  return [...new Set([...pick(names, LAST_FILES, backwards), ...highest])];
}

/** Returns the last number in a name; -1 without one. */
function numberOf(name: string): number {
  return Number(/(\d+)\D*$/.exec(name)?.[1] ?? -1);
}

/** Returns the first few names of an order, without sorting all of them. */
function pick(names: readonly string[], count: number, compare: (a: string, b: string) => number): string[] {
  const picked: string[] = [];
  for (const name of names) {
    if (picked.length === count && compare(name, picked[count - 1]!) >= 0) continue;
    picked.push(name);
    picked.sort(compare);
    if (picked.length > count) picked.pop();
  }
  return picked;
}

/** Accepts names that differ from that of the acquisition in the number before the extension. */
function familyOf(path: string): (name: string) => boolean {
  const toStem = (name: string) => name.replace(/(?:\.ome)?\.[^.]*$/i, '').replace(/[-_ ]?\d+$/, '');
  const stem = toStem(basename(path));
  const extension = extname(path).toLowerCase();
  return (name) => extname(name).toLowerCase() === extension && toStem(name) === stem;
}

function see(path: string, look: Look): SeenFile {
  const stats = statsOf(path, look);
  return { path, facts: stats && toFileFacts(stats) };
}

function statsOf(path: string, look: Look) {
  return orNothing(() => {
    look.enter(path);
    return lstatSync(path, { bigint: true, throwIfNoEntry: false });
  });
}

/** What is not accessible is not there. */
function orNothing<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch (error) {
    if (error instanceof Crossing) throw error;
    return undefined;
  }
}
