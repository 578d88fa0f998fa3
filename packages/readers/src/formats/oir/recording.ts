/** Scans and merges all files of one recording: frames by key, reference bands, documents. */

import { AcqError } from '../../base/errors.js';
import { LIMITS } from '../../base/limits.js';
import { Notes } from '../../base/notes.js';
import { asCorrupted } from '../../base/warning-kinds.js';
import { endSentence, grouped, plural, subjectFirst } from '../../base/wording.js';
import type { ByteSource } from '../../io/byte-source.js';
import type { Siblings } from '../../io/folder.js';
import { lastPart } from '../../io/paths.js';
import type { ChannelOptics } from '../../model/acquisition.js';
import { parseDocument, readDocuments } from './documents.js';
import { type BandBlock, layoutPlane } from './layout.js';
import { lutColor } from './lut.js';
import { parseChannelOptics } from './optics.js';
import { findParts, openMain, parsePartName } from './parts.js';
import {
  completeWith,
  parseFrameProperties,
  parseGeometry,
  parseImageProperties,
  type RawFrameProperties,
  type RawGeometry,
  type RawProperties,
} from './properties.js';
import {
  type ChannelExtent,
  type FrameKey,
  keyText,
  type RawOirFile,
  type RawOirFrame,
  type RawReferenceBands,
  readBands,
  scanFile,
} from './scan.js';

/** One frame with everything that any file contains of it. */
export interface Frame extends FrameKey {
  pieces: { file: RawOirFile; frame: RawOirFrame }[];
  extents: ReadonlyMap<string, ChannelExtent>;
}

export interface Recording {
  /** Name of the main file, for messages. */
  name: string;
  files: RawOirFile[];
  frames: Map<string, Frame>;
  /** Ids of the channels that have pixels, in the order of their first bands. */
  channels: string[];
  references: RawReferenceBands[];
  properties: RawProperties | undefined;
  /** Sizes that the documents state for the reference image. */
  definitions: RawGeometry[];
  /** Colors of the look-up tables by id of the channel. */
  luts: Map<string, string | undefined>;
  /** Optics by the same id, of documents of single channels. */
  channelOptics: Map<string, ChannelOptics>;
  /** The first frame properties that can be read. */
  first: RawFrameProperties | undefined;
  /** Files of the set that are missing from its folder. */
  missing?: { names: readonly string[]; folder: string };
  notes: Notes;
}

/** Documents about the recording and its channels. */
const PARSED_ROOTS = new Set(['imageProperties', 'imageDefinition', 'lsmChannel']);
/** Limit of the frame properties; real ones have 2 to 4 KB. */
const MAX_PROPERTY_BYTES = 2 ** 18;
/** Frames whose properties are tried until one can be read. */
const MAX_PROPERTY_TRIES = 64;

/** @throws AcqError `unsupported_format`, `decode_failed` */
export function openRecording(source: ByteSource, name: string, siblings: Siblings, signal?: AbortSignal): Recording {
  const { main, firstPart, missing, warnings } = chooseMain(source, name, siblings, signal);
  const notes = new Notes();
  notes.addAll(warnings);
  const files = [main.file];
  const found = findParts(siblings, main.name, firstPart);
  for (const part of found.parts) {
    const scanned = scanPart(part.source, part.name, files, signal);
    if (typeof scanned === 'string') notes.add(scanned);
    else files.push(scanned);
  }
  const missingFrom = siblings.path === undefined ? 'Missing' : 'Missing from the folder';
  for (const part of found.missing) notes.add(asCorrupted(`${missingFrom}: ${part}; its planes cannot be read.`));
  const recording = assemble(main.name, files, notes);
  const names = [...missing, ...found.missing];
  if (names.length > 0 && siblings.path !== undefined) recording.missing = { names, folder: siblings.path };
  return recording;
}

interface Main {
  name: string;
  file: RawOirFile;
}

/**
 * Returns the main file of a continuation. When it is missing, or the two do not belong together, the continuation is
 * opened by itself.
 */
function chooseMain(
  source: ByteSource,
  name: string,
  siblings: Siblings,
  signal: AbortSignal | undefined,
): { main: Main; firstPart: number; missing: string[]; warnings: string[] } {
  const part = parsePartName(name);
  const opened = { name, file: scanFile(source, 0, signal) };
  const main = part && openMain(siblings, part);
  if (main) {
    const file = tryScan(main.source, 0, signal);
    if (file && sharesChannels([file], opened.file)) {
      return { main: { name: main.name, file }, firstPart: 1, missing: [], warnings: [] };
    }
  }
  // A user may also have named a file like cell_00001.oir; such a file has documents.
  if (!part || main || opened.file.documents.length > 0) {
    return { main: opened, firstPart: 1, missing: [], warnings: [] };
  }
  const warning = asCorrupted(
    `${part.stem}.oir, the first file of this recording, is missing. ` +
      'It contains the names, the calibration and the earlier planes.',
  );
  const mainName = `${part.stem}.oir`;
  const missing = [mainName];
  return { main: { name: mainName, file: opened.file }, firstPart: part.number + 1, missing, warnings: [warning] };
}

function tryScan(source: ByteSource, file: number, signal: AbortSignal | undefined): RawOirFile | undefined {
  try {
    return scanFile(source, file, signal);
  } catch (error) {
    if (error instanceof AcqError) return undefined;
    throw error;
  }
}

/** Scans a continuation; returns a warning when it cannot be used. */
function scanPart(
  source: ByteSource,
  name: string,
  files: readonly RawOirFile[],
  signal: AbortSignal | undefined,
): RawOirFile | string {
  try {
    const file = scanFile(source, files.length, signal);
    return sharesChannels(files, file) ? file : `${name} was ignored: its channels do not match this recording.`;
  } catch (error) {
    if (!(error instanceof AcqError)) throw error;
    return asCorrupted(`${endSentence(error.about(source.name).message)} Its planes are missing.`);
  }
}

/** True when files belong together: channel ids are unique to a recording. */
function sharesChannels(files: readonly RawOirFile[], other: RawOirFile): boolean {
  const known = new Set(files.flatMap(channelIds));
  const ids = channelIds(other);
  return known.size === 0 || ids.length === 0 || ids.some((id) => known.has(id));
}

function channelIds(file: RawOirFile): string[] {
  const [first] = file.frames;
  if (first) return [...first.extents.keys()];
  return [...file.references.values()].map(({ channel }) => channel);
}

function assemble(name: string, files: RawOirFile[], notes: Notes): Recording {
  const recording: Recording = {
    name,
    files,
    frames: new Map(),
    channels: [],
    references: [],
    properties: undefined,
    definitions: [],
    luts: new Map(),
    channelOptics: new Map(),
    first: undefined,
    notes,
  };
  const references = new Map<string, RawReferenceBands>();
  for (const file of files) {
    mergeFile(recording, file);
    for (const [key, bands] of file.references) if (!references.has(key)) references.set(key, bands);
  }
  recording.references = [...references.values()];
  for (const frame of recording.frames.values()) {
    if (frame.pieces.length > 1) frame.extents = joinExtents(frame);
  }
  recording.channels = channelOrder(recording);
  readMainDocuments(recording);
  recording.first = firstFrameProperties(recording);
  return recording;
}

function mergeFile(recording: Recording, file: RawOirFile): void {
  recording.notes.addAll(describeDamage(file));
  const { shift, warning } = findShift(recording, file);
  if (warning !== undefined) recording.notes.add(warning);
  const [other] = file.frames.map((frame) => frame.otherAxes);
  let ignored = 0;
  for (const frame of file.frames) {
    if (frame.otherAxes !== other) ignored++;
    else addFrame(recording, file, frame, shift);
  }
  if (ignored > 0) {
    const frames = plural(ignored, 'frame');
    recording.notes.add(
      subjectFirst(baseName(file), `ignored ${frames} beyond the first value of an axis that is not supported.`),
    );
  }
}

function addFrame(recording: Recording, file: RawOirFile, frame: RawOirFrame, shift: number): void {
  const key = { t: frame.t + shift, lambda: frame.lambda, z: frame.z };
  const text = keyText(key);
  const known = recording.frames.get(text);
  if (!known) {
    recording.frames.set(text, { ...key, pieces: [{ file, frame }], extents: frame.extents });
    return;
  }
  known.pieces.push({ file, frame });
  // `joinExtents` finds out how far the pieces reach together; until then, keep whether any of them starts a plane.
  if (known.pieces.length === 2) known.extents = new Map(known.extents);
  const extents = known.extents as Map<string, ChannelExtent>;
  for (const [channel, extent] of frame.extents) {
    if (extent.bytes > (extents.get(channel)?.bytes ?? 0)) extents.set(channel, extent);
  }
}

/** Returns the extents of a frame whose bands are spread over several runs of blocks or several files. */
function joinExtents(frame: Frame): Map<string, ChannelExtent> {
  const channels = new Set(frame.pieces.flatMap((piece) => [...piece.frame.extents.keys()]));
  const extents = new Map<string, ChannelExtent>();
  for (const channel of channels) {
    const { bytes, span } = layoutPlane(frameBands(frame, channel));
    extents.set(channel, { bytes, span });
  }
  return extents;
}

/** Returns the bands of one channel of a frame, in the order of the files. @throws AcqError `decode_failed` */
export function frameBands(frame: Frame, channel: string): BandBlock[] {
  return frame.pieces.flatMap((piece) => [...readBands(piece.file, piece.frame, channel)]);
}

/**
 * Returns what to add to the times of a part. Its numbers normally continue those of the last part. A part that repeats
 * frames has started again: its frames follow the others. A line scan has only one frame, which grows.
 */
function findShift(recording: Recording, file: RawOirFile): { shift: number; warning?: string } {
  if (recording.frames.size === 0 || file.frames.length === 0) return { shift: 0 };
  const times = new Set([...recording.frames.values(), ...file.frames].map(({ t }) => t));
  if (times.size === 1) return { shift: 0 };
  let last = 0;
  for (const { t } of recording.frames.values()) last = Math.max(last, t);
  const restarts = file.frames.some((frame) => isRepeated(recording.frames.get(keyText(frame)), frame));
  if (restarts) {
    const warning = `${baseName(file)} repeats frame numbers of an earlier file; its frames are assumed to follow frame ${last}.`;
    return { shift: last, warning };
  }
  const first = file.frames.reduce((min, { t }) => Math.min(min, t), Number.POSITIVE_INFINITY);
  if (first >= last) return { shift: 0 };
  const warning =
    `${baseName(file)} contains time ${first}, which is before time ${last} of an earlier file. ` +
    'Planes are shown in the order of their numbers.';
  return { shift: 0, warning };
}

/** True when a frame is present already, and starts with the same bytes of a plane. */
function isRepeated(known: Frame | undefined, frame: RawOirFrame): boolean {
  if (!known) return false;
  return [...frame.extents].some(([channel, { bytes }]) => bytes > 0 && (known.extents.get(channel)?.bytes ?? 0) > 0);
}

/** Describes where a file is truncated, corrupted or not finished. */
function describeDamage(file: RawOirFile): string[] {
  const { table, header, source, orphans, strangeNames } = file;
  const warnings: string[] = [];
  if (header.length > source.size) {
    warnings.push(
      `the file is truncated: it has ${grouped(source.size)} of ${grouped(header.length)} bytes. ` +
        'Showing what is complete.',
    );
  } else if (table.origin === 'chain') {
    const why = file.indexStale
      ? 'the block index does not match the file'
      : 'the block index is missing, as in a file that is still being recorded';
    warnings.push(`${why}; found ${plural(table.count, 'block')} one by one.`);
  } else if (table.truncated) warnings.push(`the last block is truncated.`);
  if (orphans > 0) warnings.push(`ignored ${plural(orphans, 'block')} outside complete bands.`);
  if (strangeNames.count > 0) {
    const bands = plural(strangeNames.count, 'band');
    warnings.push(`ignored ${bands} with unknown names, such as "${strangeNames.example}".`);
  }
  return warnings.map((warning) => asCorrupted(subjectFirst(baseName(file), warning)));
}

function channelOrder(recording: Recording): string[] {
  const ids = new Set<string>();
  for (const { extents } of recording.frames.values()) for (const id of extents.keys()) ids.add(id);
  return [...ids];
}

/** Reads the last documents of the main file, then the snapshot at its start for what the last ones do not have. */
function readMainDocuments(recording: Recording): void {
  for (const file of recording.files) {
    const { documents } = file;
    const blocks = documents.length > 1 ? [documents.at(-1)!, documents[0]!] : documents;
    for (const block of blocks) {
      addDocuments(recording, file, block);
      if (recording.properties?.complete) return;
    }
  }
}

function addDocuments(recording: Recording, file: RawOirFile, block: number): void {
  for (const document of readDocuments(file, block, LIMITS.metadataBytes)) {
    if (document.root === 'LUT' && document.channel !== undefined) {
      if (!recording.luts.has(document.channel)) recording.luts.set(document.channel, lutColor(document));
    }
    if (!PARSED_ROOTS.has(document.root)) continue;
    const { root, complete } = parseDocument(document);
    const channel = document.root === 'lsmChannel' ? root?.attributes['id'] : undefined;
    if (root && channel) recording.channelOptics.set(channel, parseChannelOptics(root));
    if (root && document.root === 'imageProperties') addProperties(recording, parseImageProperties(root, complete));
    const geometry = root && document.root === 'imageDefinition' ? parseGeometry(root) : undefined;
    if (geometry) recording.definitions.push(geometry);
  }
}

function addProperties(recording: Recording, properties: RawProperties): void {
  const known = recording.properties;
  if (!known) recording.properties = properties;
  else if (!known.complete) recording.properties = completeWith(known, properties);
}

function firstFrameProperties(recording: Recording): RawFrameProperties | undefined {
  let tries = 0;
  for (const frame of recording.frames.values()) {
    if (tries++ >= MAX_PROPERTY_TRIES) return undefined;
    const properties = readFrameProperties(frame);
    if (properties?.geometry) return properties;
  }
  return undefined;
}

/** Reads the properties of one frame; `undefined` when it has none that can be read. */
export function readFrameProperties(frame: Frame): RawFrameProperties | undefined {
  for (const { file, frame: piece } of frame.pieces) {
    const document = readDocuments(file, piece.properties, MAX_PROPERTY_BYTES).find(
      ({ root }) => root === 'frameProperties',
    );
    const root = document && parseDocument(document).root;
    if (root) return parseFrameProperties(root);
  }
  return undefined;
}

function baseName(file: RawOirFile): string {
  return lastPart(file.source.name);
}
