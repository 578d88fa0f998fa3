/** Projects on disk: XLEF and XLCF refer to further files, XLIF describes an image whose pixels lie in others. */
import { join, posix } from 'node:path';
import { AcqError, companionMissing, decodeFailed } from '../../errors.js';
import type { ByteSource } from '../../io/byte-source.js';
import { LIMITS } from '../../io/limits.js';
import { decodeText } from '../../io/text.js';
import { parseDocument, type RawDocument, type RawImage } from './document.js';
import { FrameBytes } from './frames.js';
import { addImage, type Collected, documentWarnings, FileRange, nothingYet, warn } from './images.js';
import { readLof } from './lof.js';
import { isContainer } from './magic.js';
import type { PixelBytes } from './planes.js';

/** Where the files of a project are looked for. */
export interface Shelf {
  readonly path: string;
  open(name: string): ByteSource | undefined;
  list(inside?: string): readonly string[];
}

/** A file of the project: where it is, and in which collections. */
interface Member {
  name: string;
  source: ByteSource;
  /** Names of the collections. */
  path: string[];
  /** Number of the file that refers to it: images of one collection lie in one folder. */
  folder: number;
}

/**
 * Everything that the project reaches inside its own folder.
 * @param label name of the opened file
 * @throws AcqError `decode_failed`
 */
export function collectFromDisk(label: string, main: ByteSource, shelf: Shelf, signal?: AbortSignal): Collected {
  const collected = nothingYet();
  const seen = new Set<string>([label.toLowerCase()]);
  const members: Member[] = [{ name: label, source: main, path: [], folder: 0 }];
  for (let number = 0; number < members.length; number++) {
    signal?.throwIfAborted();
    const member = members[number] as Member;
    collected.files.push(member.name);
    const document = addMember(shelf, member, number, collected);
    // The name of the project itself says nothing about its images.
    const path = number === 0 ? [] : [...member.path, document?.name ?? ''];
    for (const reference of document?.references ?? []) {
      const name = insideName(posix.dirname(member.name), reference);
      const key = name?.toLowerCase() ?? '';
      if (name !== undefined && seen.has(key)) continue;
      if (seen.size >= LIMITS.files) throw decodeFailed(`${label}: refers to more files than any real project`);
      seen.add(key);
      const source = name === undefined ? undefined : openInside(shelf, name);
      if (name !== undefined && source) members.push({ name, source, path, folder: number });
      else {
        warn(collected, `The file ${reference} is left out: it is not in the folder of the project.`);
        if (name !== undefined) collected.missing ??= missing(shelf, label, name);
      }
    }
  }
  return collected;
}

/** Adds the images of one file; returns its description, `undefined` for one that refers to no others. */
function addMember(shelf: Shelf, member: Member, number: number, collected: Collected): RawDocument | undefined {
  const { name, source } = member;
  const label = posix.basename(name);
  if (isContainer(source.read(0, Math.min(16, source.size)))) {
    addLof(label, member, collected);
    return undefined;
  }
  if (source.size > LIMITS.metadataBytes) {
    throw decodeFailed(`${label}: ${source.size} bytes of XML are beyond all reason`);
  }
  const document = parseDocument(decodeText(source.read(0, source.size)));
  documentWarnings(document, collected);
  for (const raw of document.images) {
    place(raw, member, label, number);
    addImage(collected, raw, document.saved, pixelsOf(shelf, member, raw, collected));
  }
  return document;
}

/** @param name of the file that is missing, from the folder of the project */
function missing(shelf: Shelf, label: string, name: string): AcqError {
  return companionMissing(label, `"${posix.basename(name)}"`, join(shelf.path, posix.dirname(name)));
}

/** Gives an image its place in the whole project. */
function place(raw: RawImage, { path, folder }: Member, label: string, number: number): void {
  const own = raw.path.every((part) => part === '') ? [label.replace(/\.\w+$/, '')] : raw.path;
  raw.path = [...path, ...own];
  raw.folder = raw.folder === 0 ? folder : number * 2 ** 32 + raw.folder;
}

function addLof(label: string, member: Member, collected: Collected): void {
  try {
    const { pixels, xml, problem } = readLof(member.source);
    const document = parseDocument(xml);
    const [raw] = document.images;
    if (raw) {
      place(raw, member, label, 0);
      addImage(collected, raw, document.saved, new FileRange(member.source, pixels.offset, pixels.size));
    } else warn(collected, `The file ${label} is left out: it does not describe its image. ${problem}`.trim());
  } catch (error) {
    if (!(error instanceof AcqError)) throw error;
    warn(collected, `The file ${label} is left out: ${error.message}`);
  }
}

/** The pixels of an image on disk, or why they cannot be read. */
function pixelsOf(shelf: Shelf, { name: own }: Member, raw: RawImage, collected: Collected): PixelBytes | string {
  const from = posix.dirname(own);
  const parts = raw.parts.filter(({ file }) => file !== '');
  const [first] = parts;
  if (!first) return 'it does not say where its pixels are';
  collected.files.push(...parts.flatMap(({ file }) => insideName(from, file) ?? []));
  const open = (file: string) => {
    const name = insideName(from, file);
    return name === undefined ? undefined : openInside(shelf, name);
  };
  if (/\.lof$/i.test(first.file)) {
    const source = open(first.file);
    if (!source) {
      collected.missing ??= missing(shelf, posix.basename(own), posix.join(from, first.file));
      return `its file ${first.file} is not in the folder of the project`;
    }
    try {
      const { pixels } = readLof(source);
      return new FileRange(source, pixels.offset, pixels.size);
    } catch (error) {
      if (!(error instanceof AcqError)) throw error;
      return error.message;
    }
  }
  const other = parts.find(({ kind, file }) => kind !== 'Frame' || !/(?<!\.ome|\.aivia)\.tiff?$/i.test(file));
  if (other) return `its pixels are in ${other.file}, which is not read here; export the image as LIF or OME-TIFF`;
  if (parts.length > LIMITS.files) return `it has ${parts.length} files`;
  const label = raw.path.join('/');
  return new FrameBytes(label, parts, (file) => {
    const source = open(file);
    if (!source) throw missing(shelf, label, insideName(from, file) ?? file);
    return source;
  });
}

/**
 * A reference as a name inside the project's folder; `undefined` when it leads out of it. References are percent-encoded
 * and have back-slashes.
 */
export function insideName(from: string, reference: string): string | undefined {
  let decoded = reference;
  try {
    decoded = decodeURIComponent(reference);
  } catch {
    // A lone percent sign: the name as it stands.
  }
  const slashed = decoded.replaceAll('\\', '/');
  if (slashed === '' || slashed.startsWith('/') || slashed.includes(':') || slashed.includes('\0')) return undefined;
  const name = posix.normalize(posix.join(from, slashed));
  return name === '.' || name === '..' || name.startsWith('../') || name.endsWith('/') ? undefined : name;
}

/** The files of a project as the folder spells them. */
export function* filesOf(shelf: Shelf, { files }: Collected): Generator<string> {
  for (const name of files) yield spelled(shelf, name) ?? name;
}

/** A name below the folder as it is spelled there; upper and lower case are Windows' and do not count. */
function spelled(shelf: Shelf, name: string): string | undefined {
  let inside = '';
  for (const part of name.split('/')) {
    const entries = shelf.list(inside);
    const found = entries.includes(part) ? part : entries.find((entry) => entry.toLowerCase() === part.toLowerCase());
    if (found === undefined) return undefined;
    inside = inside === '' ? found : `${inside}/${found}`;
  }
  return inside;
}

function openInside(shelf: Shelf, name: string): ByteSource | undefined {
  try {
    const exact = shelf.open(name);
    const own = exact ? undefined : spelled(shelf, name);
    return exact ?? (own === undefined ? undefined : shelf.open(own));
  } catch (error) {
    if (error instanceof AcqError) return undefined;
    throw error;
  }
}
