/** All files of one recording, scanned and merged: frames by key, reference bands, documents. */
import { basename } from 'node:path';
import { AcqError } from '../../errors.js';
import type { ByteSource } from '../../io/byte-source.js';
import { LIMITS } from '../../io/limits.js';
import { plural } from '../../wording.js';
import { parseDocument, readDocuments } from './documents.js';
import { type Band, layoutPlane } from './layout.js';
import { lutColor } from './lut.js';
import { findParts, openMain, parsePartName, type Siblings } from './parts.js';
import {
  completedBy,
  parseFrameProperties,
  parseGeometry,
  parseImageProperties,
  type RawFrameProperties,
  type RawGeometry,
  type RawProperties,
} from './properties.js';
import {
  bandsOf,
  type ChannelExtent,
  type FrameKey,
  keyText,
  type RawFile,
  type RawFrame,
  type RawReferenceBands,
  scanFile,
} from './scan.js';

/** One frame with everything that any file holds of it. */
export interface Frame extends FrameKey {
  pieces: { file: RawFile; frame: RawFrame }[];
  extents: ReadonlyMap<string, ChannelExtent>;
}

export interface Recording {
  /** Name of the main file, for messages. */
  name: string;
  files: RawFile[];
  frames: Map<string, Frame>;
  /** Channel ids that own pixels, in the order of their first band. */
  channels: string[];
  references: RawReferenceBands[];
  properties: RawProperties | undefined;
  /** Geometry of the reference image, by the documents. */
  definitions: RawGeometry[];
  /** Colors of the look-up tables by id of the channel. */
  luts: Map<string, string | undefined>;
  /** First frame properties that can be read. */
  first: RawFrameProperties | undefined;
  /** Files of the set that are missing from its folder. */
  missing?: { names: readonly string[]; folder: string };
  warnings: string[];
}

/** Real ones have 2 to 4 KB. */
const FRAME_PROPERTY_BYTES = 2 ** 18;
/** Frames whose properties are tried until one can be read. */
const PROPERTY_TRIES = 64;

/** @throws AcqError `unsupported_format`, `decode_failed` */
export function openRecording(name: string, source: ByteSource, siblings: Siblings, signal?: AbortSignal): Recording {
  const { main, firstPart, missing, warnings } = chooseMain(name, source, siblings, signal);
  const files = [main.file];
  const found = findParts(siblings, main.name, firstPart);
  for (const part of found.parts) {
    const file = scanPart(part.name, part.source, files, warnings, signal);
    if (file) files.push(file);
  }
  for (const name of found.missing) warnings.push(`missing: ${name}; the planes in there cannot be read`);
  const recording = assemble(main.name, files, warnings);
  const names = [...missing, ...found.missing];
  if (names.length > 0 && siblings.path !== undefined) recording.missing = { names, folder: siblings.path };
  return recording;
}

interface Main {
  name: string;
  file: RawFile;
}

/** A continuation is opened through its main file; without one, or when the two do not belong together, by itself. */
function chooseMain(
  name: string,
  source: ByteSource,
  siblings: Siblings,
  signal: AbortSignal | undefined,
): { main: Main; firstPart: number; missing: string[]; warnings: string[] } {
  const part = parsePartName(name);
  const own = { name, file: scanFile(source, 0, signal) };
  const opened = part && openMain(siblings, part);
  if (opened) {
    const file = tryScan(opened.source, 0, signal);
    if (file && sharesChannels([file], own.file)) {
      return { main: { name: opened.name, file }, firstPart: 1, missing: [], warnings: [] };
    }
  }
  // A name like cell_00001.oir may also be a user's own; such a file has documents.
  if (!part || opened || own.file.documents.length > 0) return { main: own, firstPart: 1, missing: [], warnings: [] };
  const warning =
    `${part.stem}.oir, the first file of this recording, is missing: ` +
    'names, calibration and the earlier planes are in it';
  const mainName = `${part.stem}.oir`;
  const missing = [mainName];
  return { main: { name: mainName, file: own.file }, firstPart: part.number + 1, missing, warnings: [warning] };
}

function tryScan(source: ByteSource, file: number, signal: AbortSignal | undefined): RawFile | undefined {
  try {
    return scanFile(source, file, signal);
  } catch (error) {
    if (error instanceof AcqError) return undefined;
    throw error;
  }
}

function scanPart(
  name: string,
  source: ByteSource,
  files: RawFile[],
  warnings: string[],
  signal: AbortSignal | undefined,
): RawFile | undefined {
  try {
    const file = scanFile(source, files.length, signal);
    if (sharesChannels(files, file)) return file;
    warnings.push(`${name} is not used: its channels are not those of this recording`);
  } catch (error) {
    if (!(error instanceof AcqError)) throw error;
    warnings.push(`${name}: its planes are missing: ${error.message}`);
  }
  return undefined;
}

/** Channel ids are made for each recording, so they tell whether files belong together. */
function sharesChannels(files: readonly RawFile[], other: RawFile): boolean {
  const known = new Set(files.flatMap(channelIds));
  const ids = channelIds(other);
  return known.size === 0 || ids.length === 0 || ids.some((id) => known.has(id));
}

function channelIds(file: RawFile): string[] {
  const [first] = file.frames;
  if (first) return [...first.extents.keys()];
  return [...file.references.values()].map(({ channel }) => channel);
}

function assemble(name: string, files: RawFile[], warnings: string[]): Recording {
  const recording: Recording = {
    name,
    files,
    frames: new Map(),
    channels: [],
    references: [],
    properties: undefined,
    definitions: [],
    luts: new Map(),
    first: undefined,
    warnings,
  };
  const references = new Map<string, RawReferenceBands>();
  for (const file of files) {
    mergeFile(recording, file);
    for (const [key, found] of file.references) if (!references.has(key)) references.set(key, found);
  }
  recording.references = [...references.values()];
  for (const frame of recording.frames.values()) {
    if (frame.pieces.length > 1) frame.extents = jointExtents(frame);
  }
  recording.channels = channelOrder(recording);
  readMainDocuments(recording);
  recording.first = firstFrameProperties(recording);
  return recording;
}

function mergeFile(recording: Recording, file: RawFile): void {
  noteDamage(recording, file);
  const shift = restartShift(recording, file);
  const [other] = file.frames.map((frame) => frame.otherAxes);
  let ignored = 0;
  for (const frame of file.frames) {
    if (frame.otherAxes !== other) ignored++;
    else addFrame(recording, file, frame, shift);
  }
  if (ignored > 0) {
    recording.warnings.push(
      `${baseName(file)}: frames left out on an axis that is not known here, beyond its first value: ${ignored}`,
    );
  }
}

function addFrame(recording: Recording, file: RawFile, frame: RawFrame, shift: number): void {
  const key = { t: frame.t + shift, lambda: frame.lambda, z: frame.z };
  const text = keyText(key);
  const known = recording.frames.get(text);
  if (!known) {
    recording.frames.set(text, { ...key, pieces: [{ file, frame }], extents: frame.extents });
    return;
  }
  known.pieces.push({ file, frame });
  // How far the pieces reach together is seen when all are there; until then, whether anything begins a plane.
  if (known.pieces.length === 2) known.extents = new Map(known.extents);
  const extents = known.extents as Map<string, ChannelExtent>;
  for (const [channel, extent] of frame.extents) {
    if (extent.bytes > (extents.get(channel)?.bytes ?? 0)) extents.set(channel, extent);
  }
}

/** A plane whose bands are spread over several runs of blocks or several files. */
function jointExtents(frame: Frame): Map<string, ChannelExtent> {
  const channels = new Set(frame.pieces.flatMap((piece) => [...piece.frame.extents.keys()]));
  const extents = new Map<string, ChannelExtent>();
  for (const channel of channels) {
    const { bytes, span } = layoutPlane(frameBands(frame, channel));
    extents.set(channel, { bytes, span });
  }
  return extents;
}

/** Bands of one channel of a frame, in the order of the files. @throws AcqError `decode_failed` */
export function frameBands(frame: Frame, channel: string): Band[] {
  return frame.pieces.flatMap((piece) => bandsOf(piece.file, piece.frame, channel) as Band[]);
}

/**
 * Numbers of a part normally go on where the last part ended. One that names frames again that are already there has
 * started anew: its frames come behind. A line scan has one frame only, which grows.
 */
function restartShift(recording: Recording, file: RawFile): number {
  if (recording.frames.size === 0 || file.frames.length === 0) return 0;
  const times = new Set([...recording.frames.values(), ...file.frames].map(({ t }) => t));
  if (times.size === 1) return 0;
  const again = file.frames.some((frame) => repeats(recording.frames.get(keyText(frame)), frame));
  if (!again) {
    noteOrder(recording, file);
    return 0;
  }
  let last = 0;
  for (const { t } of recording.frames.values()) last = Math.max(last, t);
  recording.warnings.push(
    `${baseName(file)} counts its frames from the start again; they are taken to follow the ${last} before`,
  );
  return last;
}

/** The frame is there already, and from its first byte. */
function repeats(known: Frame | undefined, frame: RawFrame): boolean {
  if (!known) return false;
  return [...frame.extents].some(([channel, { bytes }]) => bytes > 0 && (known.extents.get(channel)?.bytes ?? 0) > 0);
}

function noteOrder(recording: Recording, file: RawFile): void {
  let last = 0;
  for (const { t } of recording.frames.values()) last = Math.max(last, t);
  const first = file.frames.reduce((least, { t }) => Math.min(least, t), Number.POSITIVE_INFINITY);
  if (first < last) {
    recording.warnings.push(
      `${baseName(file)} holds time ${first}, earlier than time ${last} of a file before it; ` +
        'planes are ordered by their own numbers',
    );
  }
}

function noteDamage(recording: Recording, file: RawFile): void {
  const name = baseName(file);
  const { table, header, source } = file;
  if (header.length > source.size) {
    recording.warnings.push(
      `${name}: is cut off: it has ${source.size} of ${header.length} bytes; what is complete is shown`,
    );
  } else if (table.origin === 'chain') {
    const why = file.indexStale ? 'its block index does not fit' : 'it has no block index, as while recording';
    recording.warnings.push(`${name}: ${why}; ${plural(table.count, 'block')} were found one by one`);
  } else if (table.truncated) recording.warnings.push(`${name}: its last block is cut off`);
  if (file.orphans > 0) {
    recording.warnings.push(`${name}: blocks that are no complete band, and are not used: ${file.orphans}`);
  }
  if (file.strangeNames.count > 0) {
    const { count, example } = file.strangeNames;
    recording.warnings.push(`${name}: bands with names that are not understood: ${count}, such as "${example}"`);
  }
}

function channelOrder(recording: Recording): string[] {
  const ids = new Set<string>();
  for (const { extents } of recording.frames.values()) for (const id of extents.keys()) ids.add(id);
  return [...ids];
}

/** The last documents of the main file count; the snapshot at its start only for what cannot be read of them. */
function readMainDocuments(recording: Recording): void {
  for (const file of recording.files) {
    const { documents } = file;
    const blocks = documents.length > 1 ? [documents.at(-1) as number, documents[0] as number] : documents;
    for (const block of blocks) {
      takeDocuments(recording, file, block);
      if (recording.properties?.complete) return;
    }
  }
}

function takeDocuments(recording: Recording, file: RawFile, block: number): void {
  for (const document of readDocuments(file, block, LIMITS.metadataBytes)) {
    if (document.root === 'LUT' && document.channel !== undefined) {
      if (!recording.luts.has(document.channel)) recording.luts.set(document.channel, lutColor(document));
    }
    if (document.root !== 'imageProperties' && document.root !== 'imageDefinition') continue;
    const { root, complete } = parseDocument(document);
    if (root && document.root === 'imageProperties') takeProperties(recording, parseImageProperties(root, complete));
    const geometry = root && document.root === 'imageDefinition' ? parseGeometry(root) : undefined;
    if (geometry) recording.definitions.push(geometry);
  }
}

function takeProperties(recording: Recording, properties: RawProperties): void {
  const known = recording.properties;
  if (!known) recording.properties = properties;
  else if (!known.complete) recording.properties = completedBy(known, properties);
}

function firstFrameProperties(recording: Recording): RawFrameProperties | undefined {
  let tries = 0;
  for (const frame of recording.frames.values()) {
    if (tries++ >= PROPERTY_TRIES) return undefined;
    const properties = framePropertiesOf(frame);
    if (properties?.geometry) return properties;
  }
  return undefined;
}

/** Properties of one frame; `undefined` when it has none that can be read. */
export function framePropertiesOf(frame: Frame): RawFrameProperties | undefined {
  for (const { file, frame: piece } of frame.pieces) {
    const document = readDocuments(file, piece.properties, FRAME_PROPERTY_BYTES).find(
      ({ root }) => root === 'frameProperties',
    );
    const root = document && parseDocument(document).root;
    if (root) return parseFrameProperties(root);
  }
  return undefined;
}

function baseName(file: RawFile): string {
  return basename(file.source.name);
}
