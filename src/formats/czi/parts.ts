/** The files of one acquisition: `name.czi` and its continuations `name (1).czi`, `name (2).czi`, … */
import { basename } from 'node:path';
import { type AcqError, companionMissing, decodeFailed } from '../../errors.js';
import type { ByteSource } from '../../io/byte-source.js';
import { LIMITS } from '../../io/limits.js';
import { readFileHeader } from './segments.js';

/** Where other files of the set are looked for; the folder of the opened file. */
export interface Siblings {
  readonly path: string;
  openAnyCase(name: string): ByteSource | undefined;
}

export interface Parts {
  /** Part 0 holds the directory. */
  readonly main: ByteSource;
  /** Number of the part that was named; 0 for a file by itself. */
  readonly named: number;
  /** @throws AcqError `companion_missing` when the file of the part is missing, or belongs to another acquisition */
  open(part: number): ByteSource;
  /** Names of the files that were opened; those of all parts once the directory was read. */
  files(): Iterable<string>;
}

const PART_NAME = /^(.*?) ?\((\d+)\)\.czi$/i;

/** A file that stands alone: embedded images. */
export function singlePart(source: ByteSource): Parts {
  return {
    main: source,
    named: 0,
    open: (part) => {
      if (part === 0) return source;
      throw decodeFailed(`${source.name}: refers to part ${part} of a set, but is an image inside another file`);
    },
    files: () => [source.name],
  };
}

/** @param name last component of the path of the opened file, which may be any of the set */
export function openParts(name: string, source: ByteSource, siblings: Siblings): Parts {
  const header = readFileHeader(source);
  // Writers do not always number copies of a single file: only a file of another's set needs its main file.
  const isPart = header.part > 0 && header.primaryGuid !== header.fileGuid;
  const mainName = isPart ? name.replace(PART_NAME, '$1.czi') : name;
  const main = isPart ? openMain(name, mainName, header.primaryGuid, siblings) : source;
  const primary = isPart ? header.primaryGuid : header.fileGuid;
  const known = new Map<number, ByteSource>([[0, main]]);
  if (header.part > 0) known.set(header.part, source);
  const open = (part: number): ByteSource => {
    const found = known.get(part) ?? openPart(mainName, part, primary, siblings);
    known.set(part, found);
    return found;
  };
  const files = () => [...known.values()].map((part) => basename(part.name));
  return { main, named: isPart ? header.part : 0, open, files };
}

function openMain(name: string, mainName: string, primary: string, siblings: Siblings): ByteSource {
  const main = mainName === name ? undefined : siblings.openAnyCase(mainName);
  if (!main) {
    const wanted = mainName === name ? 'the first file' : `"${mainName}", the first file`;
    throw companionMissing(name, `${wanted} of this set,`, siblings.path, COPY_ALL);
  }
  if (readFileHeader(main).fileGuid !== primary) throw missing(name, mainName, siblings, stranger(mainName));
  return main;
}

function openPart(mainName: string, part: number, primary: string, siblings: Siblings): ByteSource {
  const stem = mainName.replace(/\.czi$/i, '');
  const wanted = `${stem} (${part}).czi`;
  if (part < 0 || part > LIMITS.files) throw decodeFailed(`${mainName}: refers to part ${part}, which cannot be`);
  const source = siblings.openAnyCase(wanted) ?? siblings.openAnyCase(`${stem}(${part}).czi`);
  if (!source) throw missing(mainName, wanted, siblings, COPY_ALL);
  if (readFileHeader(source).primaryGuid !== primary) throw missing(mainName, wanted, siblings, stranger(wanted));
  return source;
}

const COPY_ALL = 'Copy all files of the set there.';

function stranger(name: string): string {
  return `The file "${name}" there belongs to another acquisition.`;
}

function missing(name: string, wanted: string, { path }: Siblings, advice: string): AcqError {
  return companionMissing(name, `"${wanted}", a file of this set,`, path, advice);
}
