/** Projects on disk: XLEF and XLCF refer to further files, XLIF describes an image whose pixels lie in others. */
import { posix } from 'node:path';
import { AcqError, decodeFailed } from '../../errors.js';
import type { ByteSource } from '../../io/byte-source.js';
import { LIMITS } from '../../io/limits.js';
import { decodeText } from '../../io/text.js';
import { parseDocument, type RawImage } from './document.js';
import { isContainer } from './format.js';
import { FrameBytes } from './frames.js';
import { addImage, type Collected, documentWarnings, FileRange, nothingYet, warn } from './images.js';
import { readLof } from './lof.js';
import type { PixelBytes } from './planes.js';

/** Where the files of a project are looked for. */
export interface Shelf {
  open(name: string): ByteSource | undefined;
  list(inside?: string): readonly string[];
}

/**
 * Everything that the project reaches inside its own folder.
 * @param label name of the opened file
 * @throws AcqError `decode_failed`
 */
export function collectFromDisk(label: string, main: ByteSource, folder: Shelf, signal?: AbortSignal): Collected {
  const collected = nothingYet();
  const seen = new Set<string>([label.toLowerCase()]);
  const queue: { name: string; source: ByteSource }[] = [{ name: label, source: main }];
  for (let next = queue[0], i = 1; next; next = queue[i++]) {
    signal?.throwIfAborted();
    const from = posix.dirname(next.name);
    for (const reference of addFile(folder, next.name, next.source, collected)) {
      const name = insideName(from, reference);
      const key = name?.toLowerCase() ?? '';
      if (name !== undefined && seen.has(key)) continue;
      if (seen.size >= LIMITS.files) throw decodeFailed(`${label}: refers to more files than any real project`);
      seen.add(key);
      const source = name === undefined ? undefined : openInside(folder, name);
      if (name !== undefined && source) queue.push({ name, source });
      else warn(collected, `The file ${reference} is left out: it is not in the folder of the project.`);
    }
  }
  return collected;
}

/** Adds the images of one file; returns the names of files that it refers to. */
function addFile(folder: Shelf, name: string, source: ByteSource, collected: Collected): string[] {
  const label = posix.basename(name);
  if (isContainer(source.read(0, Math.min(16, source.size)))) {
    addLof(label, source, collected);
    return [];
  }
  if (source.size > LIMITS.metadataBytes)
    throw decodeFailed(`${label}: ${source.size} bytes of XML are beyond all reason`);
  const document = parseDocument(decodeText(source.read(0, source.size)));
  documentWarnings(document, collected);
  for (const raw of document.images) {
    if (raw.path.every((part) => part === '')) raw.path = [label.replace(/\.\w+$/, '')];
    addImage(collected, raw, document.saved, pixelsOf(folder, posix.dirname(name), raw));
  }
  return document.references;
}

function addLof(label: string, source: ByteSource, collected: Collected): void {
  try {
    const { pixels, xml, problem } = readLof(source);
    const document = parseDocument(xml);
    const [raw] = document.images;
    if (raw) addImage(collected, raw, document.saved, new FileRange(source, pixels.offset, pixels.size));
    else warn(collected, `The file ${label} is left out: it does not describe its image. ${problem}`.trim());
  } catch (error) {
    if (!(error instanceof AcqError)) throw error;
    warn(collected, `The file ${label} is left out: ${error.message}`);
  }
}

/** The pixels of an image on disk, or why they cannot be read. */
function pixelsOf(folder: Shelf, from: string, raw: RawImage): PixelBytes | string {
  const parts = raw.parts.filter(({ file }) => file !== '');
  const [first] = parts;
  if (!first) return 'it does not say where its pixels are';
  const open = (file: string) => {
    const name = insideName(from, file);
    return name === undefined ? undefined : openInside(folder, name);
  };
  if (/\.lof$/i.test(first.file)) {
    const source = open(first.file);
    if (!source) return `its file ${first.file} is not in the folder of the project`;
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
  return new FrameBytes(raw.path.join('/'), parts, open);
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

/** Opens a file below the folder; upper and lower case are Windows' and do not count. */
function openInside(folder: Shelf, name: string): ByteSource | undefined {
  try {
    const exact = folder.open(name);
    if (exact) return exact;
    let inside = '';
    for (const part of name.split('/')) {
      const found = folder.list(inside).find((entry) => entry.toLowerCase() === part.toLowerCase());
      if (found === undefined) return undefined;
      inside = inside === '' ? found : `${inside}/${found}`;
    }
    return folder.open(inside);
  } catch (error) {
    if (error instanceof AcqError) return undefined;
    throw error;
  }
}
