import type { ByteSource } from '../../io/byte-source.js';
import type { FoundInstrument, FoundOptics } from '../../model/metadata/instrument.js';
import { textAt } from './blocks.js';
import { OpticsCollector } from './optics.js';

/** The recording settings that are needed. */
export interface RawScanInformation {
  /** Micrometer. */
  sampleSpacing?: number;
  lineSpacing?: number;
  planeSpacing?: number;
  /** Days since 1899-12-30 in the local time of the microscope. */
  startTime?: number;
  linePeriod?: number;
  /** Colors are `0x00BBGGRR`. */
  dataChannels: { name: string; acquired: boolean; color?: number }[];
  instrument?: FoundInstrument;
  /** One for each detection channel that was acquired. */
  optics?: FoundOptics[];
}

const RECORDING = 0x10000000;
const DATA_CHANNEL = 0xd0000000;
const CHANNEL_NAME = 0xd0000001;
const CHANNEL_COLOR = 0xd0000004;
const CHANNEL_ACQUIRED = [0xd0000003, 0xd0000017];
const END = 0xffffffff;

/** Types of an entry. */
const BLOCK = 0;
const TEXT = 2;
const LONG = 4;
const REAL = 5;

const NUMBERS = new Map<number, Exclude<keyof RawScanInformation, 'dataChannels' | 'instrument' | 'optics'>>([
  [0x1000001c, 'sampleSpacing'],
  [0x1000001d, 'lineSpacing'],
  [0x1000001e, 'planeSpacing'],
  [0x10000036, 'startTime'],
  [0x10000061, 'linePeriod'],
]);

/** The settings of 32 tracks with all their lasers and channels take some 200 KB. */
const FIRST_READ = 32 * 1024;
const MAX_READ = 8 * 2 ** 20;

/**
 * Reads ScanInformation: entries of id, type and size (u32 each) and a payload, nested by entries of type 0. The file
 * does not contain its length: it ends when the first block is closed.
 * @returns `undefined` when there is no recording at `offset`; the entries before the end when it is truncated
 */
export function readScanInformation(source: ByteSource, offset: number): RawScanInformation | undefined {
  if (offset < 8 || offset + 12 > source.size) return undefined;
  for (let length = FIRST_READ; ; length *= 4) {
    const bytes = source.read(offset, Math.min(length, MAX_READ, source.size - offset));
    const view = new DataView(bytes.buffer);
    if (view.getUint32(0, true) !== RECORDING) return undefined;
    const { info, closed } = parseEntries(view);
    if (closed || bytes.length < length || length >= MAX_READ) return info;
  }
}

/** Its payload has `size` bytes from `at` on. */
export interface ScanEntry {
  kind: 'start' | 'end' | 'value';
  id: number;
  type: number;
  size: number;
  at: number;
}

function parseEntries(view: DataView): { info: RawScanInformation; closed: boolean } {
  const info: RawScanInformation = { dataChannels: [] };
  const optics = new OpticsCollector();
  const closed = walkEntries(view, (entry) => {
    if (entry.kind === 'start') optics.start(entry.id);
    if (entry.kind === 'value') {
      takeEntry(info, view, entry);
      const value = readValue(view, entry);
      if (value !== undefined) optics.take(entry.id, value);
    } else if (entry.id === DATA_CHANNEL) info.dataChannels.push({ name: '', acquired: true });
  });
  return { info: { ...info, instrument: optics.instrument, optics: optics.channels() }, closed };
}

/** Visits the entries in order. @returns whether the first block is closed */
function walkEntries(view: DataView, visit: (entry: ScanEntry) => void): boolean {
  let depth = 0;
  let at = 0;
  while (at + 12 <= view.byteLength) {
    const id = view.getUint32(at, true);
    const type = view.getUint32(at + 4, true);
    const size = view.getUint32(at + 8, true);
    at += 12;
    if (at + size > view.byteLength) break;
    const kind = id === END ? 'end' : type === BLOCK ? 'start' : 'value';
    if (kind === 'end') depth--;
    if (kind === 'start') depth++;
    visit({ kind, id, type, size, at });
    at += size;
    if (depth <= 0) return true;
  }
  return false;
}

/** Visits all entries at `offset`, like `readScanInformation`; none when there is no recording. */
export function visitScanInformation(
  source: ByteSource,
  offset: number,
  visit: (entry: ScanEntry, value: string | undefined) => void,
): void {
  if (offset < 8 || offset + 12 > source.size) return;
  const bytes = source.read(offset, Math.min(MAX_READ, source.size - offset));
  const view = new DataView(bytes.buffer);
  if (view.getUint32(0, true) !== RECORDING) return;
  walkEntries(view, (entry) => visit(entry, entry.kind === 'value' ? valueText(view, entry) : undefined));
}

function valueText(view: DataView, entry: ScanEntry): string | undefined {
  const value = readValue(view, entry);
  return value === undefined ? undefined : String(value);
}

function readValue(view: DataView, { type, size, at }: ScanEntry): string | number | undefined {
  if (type === TEXT) return textAt(view, at, size);
  if (type === LONG && size >= 4) return view.getInt32(at, true);
  return type === REAL && size >= 8 ? view.getFloat64(at, true) : undefined;
}

function takeEntry(info: RawScanInformation, view: DataView, { id, type, size, at }: ScanEntry): void {
  const channel = info.dataChannels.at(-1);
  const number = NUMBERS.get(id);
  if (number && type === REAL && size >= 8) info[number] = view.getFloat64(at, true);
  else if (channel && id === CHANNEL_NAME && type === TEXT) channel.name = textAt(view, at, size);
  else if (channel && id === CHANNEL_COLOR && type === LONG && size >= 4) channel.color = view.getUint32(at, true);
  else if (channel && CHANNEL_ACQUIRED.includes(id) && type === LONG && size >= 4) {
    channel.acquired = view.getInt32(at, true) !== 0;
  }
}
