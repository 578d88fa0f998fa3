/**
 * What the blocks of one file hold: frames, reference image, documents. A long series has a hundred bands a frame and
 * all its frames alike, so only the first of a kind is looked at band by band; of those that are built like it the
 * first and the last tag are read, and the rest when a plane is asked for.
 */
import { decodeFailed } from '../../errors.js';
import type { ByteSource } from '../../io/byte-source.js';
import { type BlockTable, payloadLength, tableFromChain, tableFromIndex } from './blocks.js';
import { type Band, layoutPlane } from './layout.js';
import {
  BLOCK_HEADER_BYTES,
  BlockReader,
  KIND,
  parseBandName,
  type RawBandName,
  type RawHeader,
  readBlockHeader,
  readHeader,
  readTag,
} from './parse.js';

/** Axis indices of a frame as its bands are named, 1-based; 0 for an axis that the names lack. */
export interface FrameKey {
  t: number;
  lambda: number;
  z: number;
}

/** What is known of one channel of a frame without its bands. */
export interface ChannelExtent {
  /** Bytes without a hole from the start of the plane. */
  bytes: number;
  /** Bytes that the bands span in all. */
  span: number;
}

/** All channels at one time, wavelength and depth, as far as one run of blocks holds them. */
export interface RawFrame extends FrameKey {
  otherAxes: string;
  /** Blocks `first` to `last` − 1. */
  first: number;
  last: number;
  /** Block of its frame properties; −1 without. */
  properties: number;
  extents: ReadonlyMap<string, ChannelExtent>;
  /** Bands by channel; `undefined` when they are to be looked up in the blocks. */
  bands: ReadonlyMap<string, Band[]> | undefined;
}

export interface RawReferenceBands {
  source: string;
  channel: string;
  bands: Band[];
}

export interface RawFile {
  source: ByteSource;
  /** Place in the set: 0 for the main file. */
  file: number;
  header: RawHeader;
  table: BlockTable;
  frames: RawFrame[];
  /** By source and channel. */
  references: Map<string, RawReferenceBands>;
  /** Blocks of documents, in file order. */
  documents: number[];
  /** Bands that cannot be used: a tag without its pixels, or one that contradicts them. */
  orphans: number;
  /** Names that are not understood; the first one as an example. */
  strangeNames: { count: number; example: string };
  /** The index was there, but does not describe the file. */
  indexStale: boolean;
  /** Bands that frames hold in memory. */
  keptBands: number;
}

/** Beyond it frames forget their bands and look them up again: a recording of 100 GB has ten million. */
const MOST_KEPT_BANDS = 1_000_000;

/** Blocks looked at, in between the signal is asked. */
const ABORT_STRIDE = 4096;

class StaleIndex extends Error {}

/** @throws AcqError `unsupported_format`, `decode_failed` */
export function scanFile(source: ByteSource, file: number, signal?: AbortSignal): RawFile {
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

/** Bands of one channel of a frame. @throws AcqError `decode_failed` when the blocks are not what the index says */
export function bandsOf(raw: RawFile, frame: RawFrame, channel: string): readonly Band[] {
  if (frame.bands) return frame.bands.get(channel) ?? [];
  const segment = emptySegment();
  try {
    scanSegment(raw, new BlockReader(raw.source), frame.first, frame.last, segment);
  } catch (error) {
    if (!(error instanceof StaleIndex)) throw error;
    throw decodeFailed(`${raw.source.name}: ${error.message}; the file changed or its index is damaged`);
  }
  return segment.frames.get(keyText(frame) + frame.otherAxes)?.bands.get(channel) ?? [];
}

/** Frames are told apart by it. */
export function keyText(key: FrameKey): string {
  return `${key.t} ${key.lambda} ${key.z}`;
}

function scanTable(
  source: ByteSource,
  file: number,
  header: RawHeader,
  table: BlockTable,
  signal: AbortSignal | undefined,
): RawFile {
  const raw: RawFile = {
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
    const like = template && frameLike(raw, reader, template, first, last);
    if (like) raw.frames.push(like);
    else template = scanWhole(raw, reader, first, last) ?? template;
    first = last;
  }
  return raw;
}

/** Frames of one run of blocks, by key, while it is scanned. */
interface Segment {
  frames: Map<string, { key: FrameKey; otherAxes: string; properties: number; bands: Map<string, Band[]> }>;
  properties: number;
  /** Holds nothing but frame properties and sound bands. */
  plain: boolean;
  /** Blocks of tags, in order. */
  tags: number[];
}

function emptySegment(): Segment {
  return { frames: new Map(), properties: -1, plain: true, tags: [] };
}

/** Scans a run of blocks band by band; a template when later frames may be like it. */
function scanWhole(raw: RawFile, reader: BlockReader, first: number, last: number): Template | undefined {
  const segment = emptySegment();
  scanSegment(raw, reader, first, last, segment, raw);
  for (const { key, otherAxes, properties: before, bands } of segment.frames.values()) {
    const properties = before < 0 ? segment.properties : before;
    for (const { length } of bands.values()) raw.keptBands += length;
    const kept = raw.keptBands <= MOST_KEPT_BANDS ? bands : undefined;
    raw.frames.push({ ...key, otherAxes, first, last, properties, extents: extentsOf(bands), bands: kept });
  }
  return segment.plain && segment.frames.size === 1 ? templateOf(raw, segment) : undefined;
}

/** What the one frame of a segment, the last that was found, shows of frames built like it. */
function templateOf(raw: RawFile, segment: Segment): Template | undefined {
  const frame = raw.frames.at(-1);
  const [found] = segment.frames.values();
  const bands = [...(found?.bands.values() ?? [])].flat();
  const bandBehind = (tag: number) => {
    const offset = (raw.table.offsets[tag + 1] as number) + BLOCK_HEADER_BYTES;
    return bands.find((band) => band.offset === offset);
  };
  const firstTag = segment.tags[0] as number;
  const lastTag = segment.tags.at(-1) as number;
  const [a, b] = [bandBehind(firstTag), bandBehind(lastTag)];
  if (!frame || !a || !b) return undefined;
  return { frame, ends: [firstTag, lastTag], bands: [a, b], tagSet: new Set(segment.tags) };
}

function extentsOf(bands: ReadonlyMap<string, Band[]>): Map<string, ChannelExtent> {
  const extents = new Map<string, ChannelExtent>();
  for (const [channel, found] of bands) {
    const { bytes, span } = layoutPlane(found);
    extents.set(channel, { bytes, span });
  }
  return extents;
}

/** Reads every block header and tag of a run. `sink` takes what belongs to the whole file. */
function scanSegment(
  raw: RawFile,
  reader: BlockReader,
  first: number,
  last: number,
  into: Segment,
  sink?: RawFile,
): void {
  for (let block = first; block < last; block++) {
    const kind = checkedKind(raw, reader, block);
    if (kind === KIND.tag) {
      const used = scanBand(raw, reader, block, last, into, sink);
      if (used) block++;
    } else if (kind === KIND.frame) into.properties = block;
    else if (kind !== KIND.separator) {
      into.plain = false;
      if (kind === KIND.documents) sink?.documents.push(block);
      if (kind === KIND.pixels && sink) sink.orphans++;
    }
  }
}

/** Takes the tag at `block` and the pixels behind it; false when they are no band. */
function scanBand(
  raw: RawFile,
  reader: BlockReader,
  block: number,
  last: number,
  into: Segment,
  sink: RawFile | undefined,
): boolean {
  const { table } = raw;
  const tag = readTag(reader, table.offsets[block] as number, payloadLength(table, block));
  const name = tag && parseBandName(tag.name);
  const next = block + 1 < last && checkedKind(raw, reader, block + 1) === KIND.pixels;
  const present = next ? payloadLength(table, block + 1) : 0;
  const cut = table.truncated && block + 2 === table.count;
  if (!tag || !next || (present !== tag.length && !(cut && present < tag.length))) {
    into.plain = false;
    if (sink) sink.orphans++;
    return false;
  }
  if (!name) {
    into.plain = false;
    if (sink && sink.strangeNames.count++ === 0)
      sink.strangeNames.example = tag.name.slice(0, 80).replace(/[^ -~]/g, '?');
    return true;
  }
  const band: Band = {
    file: raw.file,
    offset: (table.offsets[block + 1] as number) + BLOCK_HEADER_BYTES,
    length: present,
    announced: tag.length,
    planeOffset: tag.planeOffset,
    number: name.number,
  };
  if (cut) into.plain = false;
  into.tags.push(block);
  if (name.reference === undefined) addToFrame(into, name, band);
  else {
    into.plain = false;
    if (sink) addReference(sink, name.reference, name.channel, band);
  }
  return true;
}

function addToFrame(into: Segment, name: RawBandName, band: Band): void {
  const key = keyText(name) + name.otherAxes;
  let frame = into.frames.get(key);
  if (!frame) {
    const { t, lambda, z, otherAxes } = name;
    frame = { key: { t, lambda, z }, otherAxes, properties: into.properties, bands: new Map() };
    into.frames.set(key, frame);
  }
  const bands = frame.bands.get(name.channel);
  if (bands) bands.push(band);
  else frame.bands.set(name.channel, [band]);
}

function addReference(raw: RawFile, source: string, channel: string, band: Band): void {
  const key = `${source}_${channel}`;
  const known = raw.references.get(key);
  if (known) known.bands.push(band);
  else raw.references.set(key, { source, channel, bands: [band] });
}

/** Kind of a block whose length in its own header is the one that the table says. */
function checkedKind(raw: RawFile, reader: BlockReader, block: number): number {
  const { table } = raw;
  const offset = table.offsets[block] as number;
  const header = readBlockHeader(reader, offset);
  const cut = table.truncated && block === table.count - 1;
  if (!header || (header.length !== payloadLength(table, block) && !cut)) {
    throw new StaleIndex(`the block at offset ${offset} has not the length that the index says`);
  }
  return header.kind;
}

/** A frame that was looked at band by band. */
interface Template {
  frame: RawFrame;
  tagSet: ReadonlySet<number>;
  /** Blocks of the first and the last tag, and their bands. */
  ends: readonly [number, number];
  bands: readonly [Band, Band];
}

/** The frame of a run of blocks that is built like the template; `undefined` when it is not. */
function frameLike(
  raw: RawFile,
  reader: BlockReader,
  template: Template,
  first: number,
  last: number,
): RawFrame | undefined {
  const { frame } = template;
  if (last - first !== frame.last - frame.first || !sizesAlike(raw.table, template, first)) return undefined;
  const shift = first - frame.first;
  const names = template.ends.map((tag, i) => nameAlike(raw, reader, tag + shift, template.bands[i] as Band));
  const [a, b] = names;
  const axesAlike = a && b && keyText(a) === keyText(b) && a.otherAxes === b.otherAxes;
  if (!axesAlike || !frame.extents.has(a.channel) || !frame.extents.has(b.channel)) return undefined;
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

/** Pixel blocks of equal size; tags too, but for the digits of a frame number that grew; the rest as it comes. */
function sizesAlike(table: BlockTable, template: Template, first: number): boolean {
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

/** The name of a tag that differs from the template's band in the axes alone. */
function nameAlike(raw: RawFile, reader: BlockReader, block: number, band: Band): RawBandName | undefined {
  if (checkedKind(raw, reader, block) !== KIND.tag) return undefined;
  const tag = readTag(reader, raw.table.offsets[block] as number, payloadLength(raw.table, block));
  if (!tag || tag.planeOffset !== band.planeOffset || tag.length !== band.announced) return undefined;
  if (checkedKind(raw, reader, block + 1) !== KIND.pixels) return undefined;
  const name = parseBandName(tag.name);
  return name && name.reference === undefined && name.number === band.number ? name : undefined;
}
