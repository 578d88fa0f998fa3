/** The files of one acquisition: `name.czi` and its continuations `name (1).czi`, `name (2).czi`, … */

import { type AcqError, companionMissing, decodeFailed } from '../../base/errors.js';
import { LIMITS } from '../../base/limits.js';
import { about } from '../../base/subject.js';
import { grouped } from '../../base/wording.js';
import type { ByteSource } from '../../io/byte-source.js';
import type { Siblings } from '../../io/folder.js';
import { lastPart } from '../../io/paths.js';
import { readFileHeader } from './segments.js';

export interface CziParts {
  /** Part 0, which contains the directory. */
  readonly main: ByteSource;
  /** Number of the part that was opened; 0 for a single file. */
  readonly named: number;
  /** @throws AcqError `companion_missing` when the file of the part is missing or belongs to another acquisition */
  open(part: number): ByteSource;
  /** Names of the files opened so far: of all parts, once the directory has been read. */
  files(): Iterable<string>;
}

const PART_NAME = /^(.*?) ?\((\d+)\)\.czi$/i;

/** Returns the only part of an image that is embedded in another file. */
export function singlePart(source: ByteSource): CziParts {
  return {
    main: source,
    named: 0,
    open: (part) => {
      if (part === 0) return source;
      throw decodeFailed(`refers to part ${part} of a set; embedded images have one part`);
    },
    files: () => [source.name],
  };
}

/**
 * Opens a file and finds the others of its set.
 * @param source any file of the set
 * @throws AcqError `companion_missing`, `decode_failed`
 */
export function openParts(source: ByteSource, siblings: Siblings): CziParts {
  const { name } = source;
  const header = readFileHeader(source);
  // Copies of a single file may have a part number: only a file with another primary file needs that one.
  const isPart = header.part > 0 && header.primaryGuid !== header.fileGuid;
  const mainName = isPart ? name.replace(PART_NAME, '$1.czi') : name;
  const main = isPart ? openMain(source, { name: mainName, primary: header.primaryGuid }, siblings) : source;
  const primary = isPart ? header.primaryGuid : header.fileGuid;
  const opened = new Map<number, ByteSource>([[0, main]]);
  if (header.part > 0) opened.set(header.part, source);
  const open = (part: number): ByteSource => {
    const file = opened.get(part) ?? openPart(part, { name: mainName, primary }, siblings);
    opened.set(part, file);
    return file;
  };
  const files = () => [...opened.values()].map((file) => lastPart(file.name));
  return { main, named: isPart ? header.part : 0, open, files };
}

/** Identifies a set of files. */
interface SetName {
  /** Name of the first file. */
  name: string;
  /** GUID of the first file. */
  primary: string;
}

function openMain({ name: opened }: ByteSource, { name, primary }: SetName, siblings: Siblings): ByteSource {
  const main = name === opened ? undefined : siblings.openAnyCase(name);
  if (!main) {
    const first = name === opened ? 'the first file' : `"${name}", the first file`;
    throw companionMissing(`${first} of this set,`, folderOf(siblings), COPY_ALL);
  }
  if (about(main.name, () => readFileHeader(main)).fileGuid !== primary) throw missing(name, siblings, foreign(name));
  return main;
}

function openPart(part: number, { name, primary }: SetName, siblings: Siblings): ByteSource {
  const stem = name.replace(/\.czi$/i, '');
  const partName = `${stem} (${part}).czi`;
  if (part < 0 || part > LIMITS.files)
    throw decodeFailed(`refers to part ${part}; expected 0 to ${grouped(LIMITS.files)}`).about(name);
  const source = siblings.openAnyCase(partName) ?? siblings.openAnyCase(`${stem}(${part}).czi`);
  if (!source) throw missing(partName, siblings, COPY_ALL).about(name);
  const header = about(source.name, () => readFileHeader(source));
  if (header.primaryGuid !== primary) throw missing(partName, siblings, foreign(partName)).about(name);
  return source;
}

const COPY_ALL = 'Copy all files of the set there.';

function foreign(name: string): string {
  return `The file "${name}" there belongs to another acquisition.`;
}

function missing(partName: string, siblings: Siblings, advice: string): AcqError {
  return companionMissing(`"${partName}", a file of this set,`, folderOf(siblings), advice);
}

function folderOf({ path = 'the archive' }: Siblings): string {
  return path;
}
