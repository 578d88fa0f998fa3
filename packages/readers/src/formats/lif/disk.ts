/** Projects on disk: XLEF and XLCF files refer to further files, XLIF files describe images whose pixels are elsewhere. */

import { AcqError, companionMissing, decodeFailed } from '../../base/errors.js';
import { LIMITS } from '../../base/limits.js';
import { asCorrupted } from '../../base/warning-kinds.js';
import { grouped } from '../../base/wording.js';
import type { ByteSource } from '../../io/byte-source.js';
import type { Siblings } from '../../io/folder.js';
import { NameIndex } from '../../io/name-index.js';
import { lastPart, parentOf, pathInside, resolveName } from '../../io/paths.js';
import { decodeText } from '../../io/text.js';
import { FrameBytes } from './frames.js';
import { describeDocument, ImageList } from './images.js';
import { readLof } from './lof.js';
import { isContainer } from './magic.js';
import { parseDocument, type RawLifDocument, type RawLifImage } from './parse.js';
import { FileRange, type PixelBytes } from './pixel-bytes.js';

/** A file of the project. */
interface Member {
  source: ByteSource;
  /** Name relative to the folder of the project. */
  name: string;
  /** Names of the collections that contain the file. */
  path: string[];
  /** Index of the file that refers to it, which makes the images of one collection share a folder. */
  folder: number;
}

/**
 * Gathers the images of all files that the project refers to inside its own folder.
 * @param name of the opened file
 * @throws AcqError `decode_failed`
 */
export function collectFromDisk(source: ByteSource, name: string, siblings: Siblings, signal?: AbortSignal): ImageList {
  const list = new ImageList();
  const seen = new Set<string>([name.toLowerCase()]);
  const members: Member[] = [{ source, name, path: [], folder: 0 }];
  for (let index = 0; index < members.length; index++) {
    signal?.throwIfAborted();
    const member = members[index]!;
    list.files.push(member.name);
    const document = addMember(list, siblings, member, index);
    // The name of the project itself is not part of the names of its images.
    const path = index === 0 ? [] : [...member.path, document?.name ?? ''];
    for (const reference of document?.references ?? []) {
      const inside = toInsideName(parentOf(member.name), reference);
      const key = inside?.toLowerCase() ?? '';
      if (inside !== undefined && seen.has(key)) continue;
      if (seen.size >= LIMITS.files) {
        throw decodeFailed(`the project refers to more than ${grouped(LIMITS.files)} files, which is the limit`);
      }
      seen.add(key);
      const opened = inside === undefined ? undefined : openInside(siblings, inside);
      if (inside !== undefined && opened) members.push({ source: opened, name: inside, path, folder: index });
      else {
        list.notes.add(asCorrupted(`The file ${reference} was skipped: it is not in the folder of the project.`));
        if (inside !== undefined) list.missing ??= missingFile(siblings, inside);
      }
    }
  }
  return list;
}

/** Adds the images of a file; returns its document when it can refer to other files. */
function addMember(list: ImageList, siblings: Siblings, member: Member, index: number): RawLifDocument | undefined {
  const { source } = member;
  const label = lastPart(member.name);
  if (isContainer(source.read(0, Math.min(16, source.size)))) {
    addLof(list, member, label);
    return undefined;
  }
  if (source.size > LIMITS.metadataBytes) {
    throw decodeFailed(
      `the XML has ${grouped(source.size)} bytes; the limit is ${grouped(LIMITS.metadataBytes)}`,
    ).about(label);
  }
  const document = parseDocument(decodeText(source.read(0, source.size)));
  list.notes.addAll(describeDocument(document));
  for (const raw of document.images) {
    const image = placeInProject(raw, member, label, index);
    const { pixels, files, missing } = locatePixels(siblings, member.name, image);
    list.files.push(...files);
    list.missing ??= missing;
    list.add(image, document.saved, pixels);
  }
  return document;
}

/** @param name of the missing file, relative to the folder of the project */
function missingFile(siblings: Siblings, name: string): AcqError {
  const { path } = siblings;
  const folder = path === undefined ? 'its folder' : pathInside(path, parentOf(name));
  return companionMissing(`"${lastPart(name)}"`, folder);
}

/** Returns the image with its path and its folder in the whole project. */
function placeInProject(raw: RawLifImage, { path, folder }: Member, label: string, index: number): RawLifImage {
  const names = raw.path.every((part) => part === '') ? [label.replace(/\.\w+$/, '')] : raw.path;
  return { ...raw, path: [...path, ...names], folder: raw.folder === 0 ? folder : index * 2 ** 32 + raw.folder };
}

function addLof(list: ImageList, member: Member, label: string): void {
  const lof = orError(() => readLof(member.source));
  if (!(lof instanceof AcqError)) {
    const document = parseDocument(lof.xml);
    const [raw] = document.images;
    const range = new FileRange(member.source, lof.pixels.offset, lof.pixels.size);
    if (raw) {
      list.add(placeInProject(raw, member, label, 0), document.saved, range);
      return;
    }
  }
  const problem = lof instanceof AcqError ? lof : lof.problem;
  const { message } = (problem ?? decodeFailed('the description of the image is missing')).about(member.source.name);
  list.notes.add(asCorrupted(`${message.replace(/\.$/, '')}. The file was skipped.`));
}

interface LocatedPixels {
  /** The pixels, or why they cannot be read. */
  pixels: PixelBytes | AcqError | string;
  /** Files that contain them, by their names in the folder of the project. */
  files: string[];
  missing?: AcqError | undefined;
}

/** @param name of the XLIF file, relative to the folder of the project */
function locatePixels(siblings: Siblings, name: string, raw: RawLifImage): LocatedPixels {
  const from = parentOf(name);
  const parts = raw.parts.filter(({ file }) => file !== '');
  const [first] = parts;
  if (!first) return { pixels: 'the description does not contain the files with its pixels', files: [] };
  const files = parts.flatMap(({ file }) => toInsideName(from, file) ?? []);
  const open = (file: string) => {
    const inside = toInsideName(from, file);
    return inside === undefined ? undefined : openInside(siblings, inside);
  };
  if (/\.lof$/i.test(first.file)) {
    const source = open(first.file);
    if (source) return { pixels: readLofPixels(source), files };
    const missing = missingFile(siblings, `${from}/${first.file}`).about(lastPart(name));
    return { pixels: `its file ${first.file} is not in the folder of the project`, files, missing };
  }
  const other = parts.find(({ kind, file }) => kind !== 'Frame' || !/(?<!\.ome|\.aivia)\.tiff?$/i.test(file));
  if (other) {
    const pixels = `its pixels are in ${other.file}, which is not supported; export the image as LIF or OME-TIFF`;
    return { pixels, files };
  }
  if (parts.length > LIMITS.files) {
    return { pixels: `it has ${grouped(parts.length)} files; the limit is ${grouped(LIMITS.files)}`, files };
  }
  const label = raw.path.join('/');
  const openFrame = (file: string) => {
    const source = open(file);
    if (source) return source;
    const missing = missingFile(siblings, toInsideName(from, file) ?? file);
    throw missing.restated(`${label}: ${missing.statement}`);
  };
  return { pixels: new FrameBytes(label, parts, openFrame), files };
}

function readLofPixels(source: ByteSource): PixelBytes | AcqError {
  const lof = orError(() => readLof(source));
  if (lof instanceof AcqError) return lof.about(source.name);
  return new FileRange(source, lof.pixels.offset, lof.pixels.size);
}

/** Returns what `read` returns, or its error. */
function orError<Result>(read: () => Result): Result | AcqError {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof AcqError)) throw error;
    return error;
  }
}

/**
 * Converts a reference, which is percent-encoded and has backslashes, to a name relative to the folder of the project.
 * @param from folder of the file with the reference
 * @returns `undefined` when it leads out of the folder
 */
export function toInsideName(from: string, reference: string): string | undefined {
  let decoded = reference;
  try {
    decoded = decodeURIComponent(reference);
  } catch {
    // A percent sign that encodes nothing is part of the name.
  }
  const slashed = decoded.replaceAll('\\', '/');
  if (slashed === '' || /^\/|\/$|[:\0]/.test(slashed)) return undefined;
  return resolveName(from, slashed);
}

/** Yields names of files as the folder spells them, or unchanged when there is no such file. */
export function* spellFiles(siblings: Siblings, names: Iterable<string>): Generator<string> {
  for (const name of names) yield spellAsFolder(siblings, name) ?? name;
}

/** Finds a name in the folder regardless of upper and lower case, which projects from Windows do not care about. */
function spellAsFolder(siblings: Siblings, name: string): string | undefined {
  let inside = '';
  for (const part of name.split('/')) {
    const entries = siblings.list(inside);
    const match = entries.includes(part) ? part : new NameIndex(entries).find(part);
    if (match === undefined) return undefined;
    inside = inside === '' ? match : `${inside}/${match}`;
  }
  return inside;
}

function openInside(siblings: Siblings, name: string): ByteSource | undefined {
  try {
    const exact = siblings.open(name);
    const spelled = exact ? undefined : spellAsFolder(siblings, name);
    return exact ?? (spelled === undefined ? undefined : siblings.open(spelled));
  } catch (error) {
    if (error instanceof AcqError) return undefined;
    throw error;
  }
}
