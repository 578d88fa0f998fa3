/**
 * Finds the frames, reference bands and documents of one file. A long series has a hundred bands per frame, and all its
 * frames are alike. So only the first frame of a kind is read band by band. Of the frames that are built like it, the
 * first and the last tag are read, and the others when a plane is requested.
 */
import { decodeFailed } from '../../base/errors.js';
import { grouped } from '../../base/wording.js';
import type { ByteSource } from '../../io/byte-source.js';
import { type BlockTable, payloadLength, tableFromChain, tableFromIndex } from './blocks.js';
import { type BandBlock, layoutPlane } from './layout.js';
import {
  BLOCK_HEADER_BYTES,
  BlockReader,
  KIND,
  type RawBandName,
  type RawHeader,
  readBlockHeader,
  readHeader,
  readTag,
} from './parse.js';

/** Axis numbers in the names of a frame's bands, 1-based; 0 for an axis that the names do not have. */
export interface FrameKey {
  t: number;
  lambda: number;
  z: number;
}

/** Size of one channel of a frame, without its bands. */
export interface ChannelExtent {
  /** Bytes without a gap from the start of the plane. */
  bytes: number;
  /** Bytes that the bands span in all. */
  span: number;
}

/** All channels at one time, wavelength and depth, as far as one run of blocks contains them. */
export interface RawOirFrame extends FrameKey {
  otherAxes: string;
  /** Blocks `first` to `last` − 1. */
  first: number;
  last: number;
  /** Block of its frame properties; −1 when it has none. */
  properties: number;
  extents: ReadonlyMap<string, ChannelExtent>;
  /** Bands by channel; `undefined` when they have to be read from the blocks. */
  bands: ReadonlyMap<string, BandBlock[]> | undefined;
}

export interface RawReferenceBands {
  source: string;
  channel: string;
  bands: BandBlock[];
}

export interface RawOirFile {
  source: ByteSource;
  /** Index in the set: 0 for the main file. */
  file: number;
  header: RawHeader;
  table: BlockTable;
  frames: RawOirFrame[];
  /** By source and channel. */
  references: Map<string, RawReferenceBands>;
  /** Blocks of documents, in file order. */
  documents: number[];
  /** Blocks of bands that cannot be used: a tag without its pixels, or one that does not match them. */
  orphans: number;
  /** Bands with names of another form; the first one as an example. */
  strangeNames: { count: number; example: string };
  /** True when the file has an index that does not match it. */
  indexStale: boolean;
  /** Bands that are kept in memory. */
  keptBands: number;
}

/** Bands that are kept in memory; those of further frames are read again. A recording of 100 GB has ten million. */
const MAX_KEPT_BANDS = 1_000_000;

/** Blocks that are read between two checks of the abort signal. */
const ABORT_STRIDE = 4096;

/** The index does not match the blocks. */
class StaleIndex extends Error {}

/** @throws AcqError `unsupported_format`, `decode_failed` */
export function scanFile(source: ByteSource, file: number, signal?: AbortSignal): RawOirFile {
  const header = readHeader(source);
  const indexed = tableFromIndex(source, header);
  if (indexed) {
    try {
      return scanTable(source, file, header, indexed, signal);
    } catch (error) {
      if (!(error instanceof StaleIndex)) throw error;
    }
  }
  const scanned = scanTable(source, file, header, tableFromChain(source, header), signal);
  scanned.indexStale = header.indexOffset !== 0;
  return scanned;
}

/**
 * Returns the bands of one channel of a frame.
 * @throws AcqError `decode_failed` when the blocks do not match the index
 */
export function readBands(raw: RawOirFile, frame: RawOirFrame, channel: string): readonly BandBlock[] {
  if (frame.bands) return frame.bands.get(channel) ?? [];
  try {
    const segment = scanSegment(raw, new BlockReader(raw.source), frame.first, frame.last);
    return segment.frames.get(keyText(frame) + frame.otherAxes)?.bands.get(channel) ?? [];
  } catch (error) {
    if (!(error instanceof StaleIndex)) throw error;
    throw decodeFailed(`${error.message}; the file changed or its index is corrupted`).about(raw.source.name);
  }
}

/** Returns the key of a frame as text, for maps. */
export function keyText(key: FrameKey): string {
  return `${key.t} ${key.lambda} ${key.z}`;
}

function scanTable(
  source: ByteSource,
  file: number,
  header: RawHeader,
  table: BlockTable,
  signal: AbortSignal | undefined,
): RawOirFile {
  const raw: RawOirFile = {
    source,
    file,
    header,
    table,
    frames: [],
    references: new Map(),
    documents: [],
    orphans: 0,
    strangeNames: { count: 0, example: '' },
    indexStale: false,
    keptBands: 0,
  };
  const reader = new BlockReader(source);
  let template: Template | undefined;
  let first = 0;
  let checked = 0;
  for (let block = 0; block < table.count; block++) {
    // A separator ends a frame; it is the only block without payload.
    const ends = payloadLength(table, block) === 0 || block === table.count - 1;
    if (!ends) continue;
    const last = block + 1;
    if (last - checked > ABORT_STRIDE) {
      signal?.throwIfAborted();
      checked = last;
    }
    const similar = template && matchTemplate(raw, reader, template, first, last);
    if (similar) raw.frames.push(similar);
    else template = addSegment(raw, reader, first, last) ?? template;
    first = last;
  }
  return raw;
}

/** The contents of one run of blocks. */
interface Segment {
  /** By key. */
  frames: Map<string, { key: FrameKey; otherAxes: string; properties: number; bands: Map<string, BandBlock[]> }>;
  properties: number;
  /** True when it contains only frame properties and complete bands. */
  plain: boolean;
  /** Blocks of tags, in order. */
  tags: number[];
}

/** Scans a run of blocks band by band and adds its frames. Returns a template when later frames may be like it. */
function addSegment(raw: RawOirFile, reader: BlockReader, first: number, last: number): Template | undefined {
  const segment = scanSegment(raw, reader, first, last, raw);
  for (const { key, otherAxes, properties: preceding, bands } of segment.frames.values()) {
    const properties = preceding < 0 ? segment.properties : preceding;
    for (const { length } of bands.values()) raw.keptBands += length;
    const kept = raw.keptBands <= MAX_KEPT_BANDS ? bands : undefined;
    raw.frames.push({ ...key, otherAxes, first, last, properties, extents: toExtents(bands), bands: kept });
  }
  return segment.plain && segment.frames.size === 1 ? toTemplate(raw, segment) : undefined;
}

/** Makes a template of the only frame of a segment, which is the last one that was added. */
function toTemplate(raw: RawOirFile, segment: Segment): Template | undefined {
  const frame = raw.frames.at(-1);
  const [contents] = segment.frames.values();
  const bands = [...(contents?.bands.values() ?? [])].flat();
  const bandAfter = (tag: number) => {
    const offset = raw.table.offsets[tag + 1]! + BLOCK_HEADER_BYTES;
    return bands.find((band) => band.offset === offset);
  };
  const firstTag = segment.tags[0]!;
  const lastTag = segment.tags.at(-1)!;
  const [a, b] = [bandAfter(firstTag), bandAfter(lastTag)];
  if (!frame || !a || !b) return undefined;
  return { frame, ends: [firstTag, lastTag], bands: [a, b], tagSet: new Set(segment.tags) };
}

function toExtents(bands: ReadonlyMap<string, BandBlock[]>): Map<string, ChannelExtent> {
  const extents = new Map<string, ChannelExtent>();
  for (const [channel, list] of bands) {
    const { bytes, span } = layoutPlane(list);
    extents.set(channel, { bytes, span });
  }
  return extents;
}

/** Reads every block header and tag of a run. Adds what belongs to the whole file to `sink`. */
function scanSegment(raw: RawOirFile, reader: BlockReader, first: number, last: number, sink?: RawOirFile): Segment {
  const segment: Segment = { frames: new Map(), properties: -1, plain: true, tags: [] };
  for (let block = first; block < last; block++) {
    const kind = readKind(raw, reader, block);
    if (kind === KIND.tag) {
      const usesNext = addBand(segment, raw, reader, block, last, sink);
      if (usesNext) block++;
    } else if (kind === KIND.frame) segment.properties = block;
    else if (kind !== KIND.separator) {
      segment.plain = false;
      if (kind === KIND.documents) sink?.documents.push(block);
      if (kind === KIND.pixels && sink) sink.orphans++;
    }
  }
  return segment;
}

/** Adds the band of the tag at `block` and the pixels after it; returns false when they are not a band. */
function addBand(
  segment: Segment,
  raw: RawOirFile,
  reader: BlockReader,
  block: number,
  last: number,
  sink: RawOirFile | undefined,
): boolean {
  const { table } = raw;
  const tag = readTag(reader, table.offsets[block]!, payloadLength(table, block));
  const name = tag && reader.names.parse(tag.name);
  const next = block + 1 < last && readKind(raw, reader, block + 1) === KIND.pixels;
  const available = next ? payloadLength(table, block + 1) : 0;
  const truncated = table.truncated && block + 2 === table.count;
  if (!tag || !next || (available !== tag.length && !(truncated && available < tag.length))) {
    segment.plain = false;
    if (sink) sink.orphans++;
    return false;
  }
  if (!name) {
    segment.plain = false;
    if (sink && sink.strangeNames.count++ === 0)
      sink.strangeNames.example = tag.name.slice(0, 80).replace(/[^ -~]/g, '?');
    return true;
  }
  const band: BandBlock = {
    file: raw.file,
    offset: table.offsets[block + 1]! + BLOCK_HEADER_BYTES,
    length: available,
    stated: tag.length,
    planeOffset: tag.planeOffset,
    number: name.number,
  };
  if (truncated) segment.plain = false;
  segment.tags.push(block);
  if (name.reference === undefined) addToFrame(segment, name, band);
  else {
    segment.plain = false;
    if (sink) addReference(sink, name.reference, name.channel, band);
  }
  return true;
}

function addToFrame(segment: Segment, name: RawBandName, band: BandBlock): void {
  const key = keyText(name) + name.otherAxes;
  let frame = segment.frames.get(key);
  if (!frame) {
    const { t, lambda, z, otherAxes } = name;
    frame = { key: { t, lambda, z }, otherAxes, properties: segment.properties, bands: new Map() };
    segment.frames.set(key, frame);
  }
  const bands = frame.bands.get(name.channel);
  if (bands) bands.push(band);
  else frame.bands.set(name.channel, [band]);
}

function addReference(raw: RawOirFile, source: string, channel: string, band: BandBlock): void {
  const key = `${source}_${channel}`;
  const known = raw.references.get(key);
  if (known) known.bands.push(band);
  else raw.references.set(key, { source, channel, bands: [band] });
}

/** Reads the kind of a block and checks its length. @throws StaleIndex when it does not match the table */
function readKind(raw: RawOirFile, reader: BlockReader, block: number): number {
  const { table } = raw;
  const offset = table.offsets[block]!;
  const header = readBlockHeader(reader, offset);
  const truncated = table.truncated && block === table.count - 1;
  if (!header || (header.length !== payloadLength(table, block) && !truncated)) {
    throw new StaleIndex(`the block at offset ${grouped(offset)} does not have the length that the index says`);
  }
  return header.kind;
}

/** A frame that was read band by band. */
interface Template {
  frame: RawOirFrame;
  tagSet: ReadonlySet<number>;
  /** Blocks of the first and the last tag, and their bands. */
  ends: readonly [number, number];
  bands: readonly [BandBlock, BandBlock];
}

/** Returns the frame of a run of blocks that is built like the template; `undefined` when it is not. */
function matchTemplate(
  raw: RawOirFile,
  reader: BlockReader,
  template: Template,
  first: number,
  last: number,
): RawOirFrame | undefined {
  const { frame } = template;
  if (last - first !== frame.last - frame.first || !sizesMatch(raw.table, template, first)) return undefined;
  const shift = first - frame.first;
  const names = template.ends.map((tag, i) => matchName(raw, reader, tag + shift, template.bands[i]!));
  const [a, b] = names;
  const sameAxes = a && b && keyText(a) === keyText(b) && a.otherAxes === b.otherAxes;
  if (!sameAxes || !frame.extents.has(a.channel) || !frame.extents.has(b.channel)) return undefined;
  return {
    t: a.t,
    lambda: a.lambda,
    z: a.z,
    otherAxes: a.otherAxes,
    first,
    last,
    properties: frame.properties < 0 ? -1 : frame.properties + shift,
    extents: frame.extents,
    bands: undefined,
  };
}

/**
 * True when the pixel blocks have the same sizes as in the template, and the tags too, except for the digits of a larger
 * frame number.
 */
function sizesMatch(table: BlockTable, template: Template, first: number): boolean {
  const { frame, ends, tagSet } = template;
  const shift = first - frame.first;
  const digits = payloadLength(table, ends[0] + shift) - payloadLength(table, ends[0]);
  for (let block = frame.first; block < frame.last; block++) {
    const difference = payloadLength(table, block + shift) - payloadLength(table, block);
    if (block === frame.properties) continue;
    if (difference !== (tagSet.has(block) ? digits : 0)) return false;
  }
  return true;
}

/** Returns the name of a tag that differs from the template's band only in the axes. */
function matchName(raw: RawOirFile, reader: BlockReader, block: number, band: BandBlock): RawBandName | undefined {
  if (readKind(raw, reader, block) !== KIND.tag) return undefined;
  const tag = readTag(reader, raw.table.offsets[block]!, payloadLength(raw.table, block));
  if (!tag || tag.planeOffset !== band.planeOffset || tag.length !== band.stated) return undefined;
  if (readKind(raw, reader, block + 1) !== KIND.pixels) return undefined;
  const name = reader.names.parse(tag.name);
  return name && name.reference === undefined && name.number === band.number ? name : undefined;
}
