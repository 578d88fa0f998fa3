import { join } from 'node:path';
import type { OpenInput } from '../../acquisition.js';
import { type AcqError, companionMissing, decodeFailed, unsupported } from '../../errors.js';
import type { ByteSource } from '../../io/byte-source.js';
import { type Ini, parseIni } from '../../io/ini.js';
import { LIMITS } from '../../io/limits.js';
import { openOle } from '../../io/ole.js';
import { OLE_MAGIC } from '../../io/ole-records.js';

/**
 * The files of a set under their own base names, wherever they lie: a main file beside its `.files` folder (OIF), or
 * streams of a compound file (OIB). Everything above sees no difference.
 */
export interface FileSet {
  /** Name of the opened file, for messages. */
  readonly name: string;
  readonly main: Ini;
  /** The folder of the data files, and all files by their names beside the main file. An OIB is one file. */
  readonly disk?: { folder: string; files: readonly string[] };
  /** Base names of the data files: `s_C001T002.tif`. */
  readonly names: readonly string[];
  /** A file by its base name, in any case; `undefined` when the set lacks it. */
  open(name: string): ByteSource | undefined;
}

/** A file of the set is not there. An OIB without one of its own streams is damaged. */
export function missingFile({ name, disk }: FileSet, what: string): AcqError {
  if (disk) return companionMissing(name, what, disk.folder);
  return decodeFailed(`${name}: ${what} is missing from the file; copy it again`);
}

/** Reads a settings file of the set. */
export function readIni(set: FileSet, name: string): Ini | undefined {
  const source = set.open(name);
  return source && parseSettings(source);
}

/** @throws AcqError `companion_missing`, `decode_failed`, `unsupported_format` */
export function openFileSet(input: OpenInput): FileSet {
  const source = input.source as ByteSource;
  const ole = OLE_MAGIC.every((value, i) => input.probe.head[i] === value);
  return ole ? openOib(input.probe.name, source) : openOif(input, source);
}

function parseSettings(source: ByteSource): Ini {
  if (source.size > LIMITS.sidecarBytes) {
    throw decodeFailed(`${source.name}: a settings file of ${source.size} bytes is beyond all reason`);
  }
  return parseIni(source.read(0, source.size));
}

function openOib(name: string, source: ByteSource): FileSet {
  const ole = openOle(source);
  const info = ole.open('OibInfo.txt');
  if (!info) throw unsupported(`${name}: is a compound file, but not an OIB: it has no OibInfo.txt`);
  const map = parseSettings(info);
  // Names in OibInfo.txt carry storages and folders; the stream's own name and the file's base name are unique.
  const paths = new Map([...ole.streams.keys()].map((path) => [baseName(path), path]));
  const files = new Map<string, string>();
  const names: string[] = [];
  for (const { name: section, values } of map.blocks) {
    if (section !== 'OibSaveInfo') continue;
    for (const [key, value] of values) {
      const path = /^Stream\d+$/.test(key) ? paths.get(key) : undefined;
      if (path === undefined) continue;
      names.push(baseName(value));
      files.set(baseName(value).toLowerCase(), path);
    }
  }
  const mainStream = paths.get(map.text('OibSaveInfo', 'MainFileName') ?? '');
  const main = mainStream === undefined ? undefined : ole.open(mainStream);
  if (!main) throw decodeFailed(`${name}: OibInfo.txt does not say which stream holds the settings`);
  return {
    name,
    main: parseSettings(main),
    names,
    open: (file) => {
      const path = files.get(file.toLowerCase());
      return path === undefined ? undefined : ole.open(path);
    },
  };
}

function openOif(input: OpenInput, source: ByteSource): FileSet {
  const { folder, probe } = input;
  const main = parseSettings(source);
  const inside = filesFolder(input, main);
  const names = folder.list(inside);
  const exact = new Map(names.map((name) => [name.toLowerCase(), name]));
  return {
    name: probe.name,
    main,
    disk: { folder: join(folder.path, inside), files: [probe.name, ...names.map((name) => `${inside}/${name}`)] },
    names,
    open: (file) => {
      const name = exact.get(file.toLowerCase());
      return name === undefined ? undefined : folder.open(`${inside}/${name}`);
    },
  };
}

/** The folder of the planes: named after the file, else as the settings say, else the only one beside it. */
function filesFolder(input: OpenInput, main: Ini): string {
  const { folder, probe } = input;
  const beside = folder.list();
  const said = main.text('ProfileSaveInfo', 'PtyFileNameS')?.split(/[\\/]/)[0];
  for (const wanted of [`${probe.name}.files`, said]) {
    const found = wanted && beside.find((name) => name.toLowerCase() === wanted.toLowerCase());
    if (found) return found;
  }
  const candidates = beside.filter((name) => /\.oif\.files$/i.test(name));
  if (candidates.length === 1) return candidates[0] as string;
  throw companionMissing(probe.name, `the folder "${probe.name}.files" with its planes`, folder.path);
}

export function baseName(path: string): string {
  return path.split(/[\\/]/).pop() ?? path;
}
