import { decodeFailed, unsupported } from '../base/errors.js';
import { grouped } from '../base/wording.js';
import {
  type BlockTables,
  readProgressiveDc,
  readProgressiveFirst,
  readProgressiveMore,
  readSequential,
  type ScanBand,
  type ScanState,
  ZIGZAG,
} from './jpeg-blocks.js';
import { EntropyBits, HuffmanTable } from './jpeg-entropy.js';
import { InverseTransform } from './jpeg-transform.js';
import { type ComponentPlane, upsample } from './jpeg-upsample.js';
import type { DecodedImage } from './types.js';

const BLOCK = 64;
/** Each scan may cover all blocks. Encoders write about ten. */
const MAX_SCANS = 100;
/** Blocks of all scans together, besides those that the data have room for. */
const MAX_VISITS = 16_000_000;

interface Component {
  id: number;
  across: number;
  down: number;
  table: number;
  /** Blocks of the component, those that fill up the last units included. */
  columns: number;
  rows: number;
  /** Samples of the component. */
  width: number;
  height: number;
  coefficients: Int16Array;
}

interface ScanFrame {
  bits: number;
  width: number;
  height: number;
  progressive: boolean;
  components: Component[];
  /** The largest factors. */
  across: number;
  down: number;
}

/**
 * Decodes what the WebAssembly decoder does not: 12 bits, and 2 or 4 components. Baseline, extended and progressive, with Huffman
 * codes. Colors are not converted.
 * @param data a stream whose frame header was checked
 * @param maxPixels larger images are refused: tables that stand before the stream may have a frame header of their own
 * @param repeat whether samples of smaller components are repeated, not interpolated
 * @throws AcqError `decode_failed` for corrupted data, `unsupported_format` for factors that do not divide each other
 */
export function decodeJpegScans(
  data: Uint8Array,
  { maxPixels, repeat = false }: { maxPixels: number; repeat?: boolean },
): DecodedImage {
  const stream = new JpegStream(data, maxPixels);
  const frame = stream.decode();
  const { width, height, components, bits } = frame;
  const count = components.length;
  const samples = bits === 8 ? new Uint8Array(width * height * count) : new Uint16Array(width * height * count);
  const transform = new InverseTransform(bits);
  for (const [index, component] of components.entries()) {
    const plane = toPlane(component, bits, transform, stream.quantization(component.table));
    const factors = { across: frame.across / component.across, down: frame.down / component.down, repeat };
    upsample(plane, factors, { samples, width, height, at: index, step: count });
  }
  return { width, height, components: count, samples };
}

function toPlane(component: Component, bits: number, transform: InverseTransform, table: Uint16Array): ComponentPlane {
  const { columns, rows, width, height, coefficients } = component;
  const stride = columns * 8;
  const samples = bits === 8 ? new Uint8Array(stride * rows * 8) : new Uint16Array(stride * rows * 8);
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      const at = row * 8 * stride + column * 8;
      transform.write(coefficients, (row * columns + column) * BLOCK, table, { to: samples, at, stride });
    }
  }
  return { samples, width, height, stride };
}

class JpegStream {
  private readonly data: Uint8Array;
  private readonly maxPixels: number;
  private readonly quantizations = new Map<number, Uint16Array>();
  /** By class (0 DC, 1 AC) × 16 + number. */
  private readonly tables = new Map<number, HuffmanTable>();
  private interval = 0;

  constructor(data: Uint8Array, maxPixels: number) {
    this.data = data;
    this.maxPixels = maxPixels;
  }

  quantization(number: number): Uint16Array {
    const table = this.quantizations.get(number);
    if (!table) throw decodeFailed('JPEG data are corrupted: a quantization table is missing');
    return table;
  }

  decode(): ScanFrame {
    const { data } = this;
    let frame: ScanFrame | undefined;
    let scans = 0;
    let isEnded = false;
    for (let at = 2; at + 2 <= data.length; ) {
      const marker = data[at + 1]!;
      if (data[at] !== 0xff || marker === 0 || marker === 0xff || (marker >= 0xd0 && marker <= 0xd8)) {
        // Between the segments are fill bytes at most; after a scan, what its blocks did not use.
        at++;
        continue;
      }
      if (marker === 0xd9) {
        isEnded = true;
        break;
      }
      const end = at + 2 + this.word(at + 2);
      if (end > data.length) throw decodeFailed('JPEG data are corrupted or truncated inside a segment');
      const segment = data.subarray(at + 4, end);
      at = end;
      if (marker === 0xdb) this.readQuantizations(segment);
      else if (marker === 0xc4) this.readTables(segment);
      else if (marker === 0xdd) this.interval = ((segment[0] ?? 0) << 8) | (segment[1] ?? 0);
      else if (marker === 0xda) {
        if (!frame) throw decodeFailed('JPEG data are corrupted: a scan comes before the frame header');
        if (++scans > MAX_SCANS) throw decodeFailed(`JPEG has more than ${MAX_SCANS} scans; the data are corrupted`);
        checkWork(frame, scans, data.length);
        at = this.readScan(frame, segment, end);
      } else if (marker >= 0xc0 && marker <= 0xc2) {
        if (frame) throw decodeFailed('JPEG data are corrupted: they have two frame headers');
        frame = readFrame(segment, marker === 0xc2, this.maxPixels);
      }
    }
    if (!frame || scans === 0) throw decodeFailed('JPEG data are corrupted or truncated: they contain no scan');
    // The scans that are missing would only make the image sharper.
    if (frame.progressive && !isEnded) throw decodeFailed('JPEG data are truncated: the end marker is missing');
    return frame;
  }

  private word(at: number): number {
    return (this.data[at]! << 8) | this.data[at + 1]!;
  }

  private readQuantizations(segment: Uint8Array): void {
    for (let at = 0; at < segment.length; ) {
      const wide = segment[at]! >> 4 > 0;
      const table = new Uint16Array(BLOCK);
      const bytes = wide ? 2 * BLOCK : BLOCK;
      if (at + 1 + bytes > segment.length) throw decodeFailed('JPEG data are corrupted: a quantization table is short');
      for (let i = 0; i < BLOCK; i++) {
        const from = at + 1 + (wide ? 2 * i : i);
        table[ZIGZAG[i]!] = wide ? (segment[from]! << 8) | segment[from + 1]! : segment[from]!;
      }
      this.quantizations.set(segment[at]! & 15, table);
      at += 1 + bytes;
    }
  }

  private readTables(segment: Uint8Array): void {
    for (let at = 0; at + 17 <= segment.length; ) {
      const counts = segment.subarray(at + 1, at + 17);
      const total = counts.reduce((sum, count) => sum + count, 0);
      this.tables.set(segment[at]!, new HuffmanTable(counts, segment.subarray(at + 17, at + 17 + total)));
      at += 17 + total;
    }
  }

  /** @returns where the scan ends */
  private readScan(frame: ScanFrame, segment: Uint8Array, start: number): number {
    const count = segment[0] ?? 0;
    const parts = Array.from({ length: count }, (_, i) => {
      const component = frame.components.find(({ id }) => id === segment[1 + 2 * i]);
      if (!component) throw decodeFailed('JPEG data are corrupted: a scan has an unknown component');
      const numbers = segment[2 + 2 * i] ?? 0;
      const tables: BlockTables = {
        dc: this.tables.get(numbers >> 4),
        ac: this.tables.get(16 + (numbers & 15)),
      };
      return { component, tables, before: 0 };
    });
    const [first = 0, last = 63, bits = 0] = segment.subarray(1 + 2 * count);
    const band: ScanBand = frame.progressive
      ? { first, last, high: bits >> 4, low: bits & 15 }
      : { first: 0, last: 63, high: 0, low: 0 };
    if (count < 1 || count > 4 || band.first > band.last || band.last > 63 || (band.first > 0 && count > 1)) {
      throw decodeFailed('JPEG data are corrupted: a scan header is impossible');
    }
    return new Scan(frame, parts, band, this.interval, new EntropyBits(this.data, start)).read();
  }
}

interface ScanPart {
  component: Component;
  tables: BlockTables;
  /** The DC coefficient before. */
  before: number;
}

class Scan {
  private readonly frame: ScanFrame;
  private readonly parts: ScanPart[];
  private readonly band: ScanBand;
  private readonly interval: number;
  private readonly state: ScanState;

  constructor(frame: ScanFrame, parts: ScanPart[], band: ScanBand, interval: number, bits: EntropyBits) {
    this.frame = frame;
    this.parts = parts;
    this.band = band;
    this.interval = interval;
    this.state = { bits, endRun: 0 };
  }

  read(): number {
    const { frame, parts, state, interval } = this;
    const [single] = parts.length === 1 ? parts : [];
    // The blocks of a single component follow each other by rows, without those that fill up the units.
    const columns = single ? Math.ceil(single.component.width / 8) : Math.ceil(frame.width / (8 * frame.across));
    const rows = single ? Math.ceil(single.component.height / 8) : Math.ceil(frame.height / (8 * frame.down));
    for (let unit = 0; unit < columns * rows; unit++) {
      if (interval > 0 && unit > 0 && unit % interval === 0) this.restart();
      const [row, column] = [Math.floor(unit / columns), unit % columns];
      if (single) this.readBlock(single, row, column);
      else for (const part of parts) this.readUnit(part, row, column);
    }
    return state.bits.position;
  }

  private restart(): void {
    this.state.bits.restart();
    this.state.endRun = 0;
    for (const part of this.parts) part.before = 0;
  }

  private readUnit(part: ScanPart, row: number, column: number): void {
    const { across, down } = part.component;
    for (let y = 0; y < down; y++) {
      for (let x = 0; x < across; x++) this.readBlock(part, row * down + y, column * across + x);
    }
  }

  private readBlock(part: ScanPart, row: number, column: number): void {
    const { component, tables } = part;
    const { state, band } = this;
    const at = (row * component.columns + column) * BLOCK;
    const block = { coefficients: component.coefficients, at };
    if (!this.frame.progressive) part.before = readSequential(state, tables, block, part.before);
    else if (band.first === 0) part.before = readProgressiveDc(state, tables, band, block, part.before);
    else if (band.high === 0) readProgressiveFirst(state, tables, band, block);
    else readProgressiveMore(state, tables, band, block);
  }
}

/** Each scan looks at all blocks, though a run of empty ones takes next to no data. */
function checkWork({ components }: ScanFrame, scans: number, bytes: number): void {
  const blocks = components.reduce((sum, { columns, rows }) => sum + columns * rows, 0);
  if (scans * blocks <= MAX_VISITS + bytes * BLOCK) return;
  throw decodeFailed(`JPEG has ${grouped(scans)} scans or more of ${grouped(blocks)} blocks; the data are corrupted`);
}

function readFrame(segment: Uint8Array, progressive: boolean, maxPixels: number): ScanFrame {
  const [bits = 0, h1 = 0, h0 = 0, w1 = 0, w0 = 0, count = 0] = segment;
  const [width, height] = [(w1 << 8) | w0, (h1 << 8) | h0];
  if (segment.length < 6 + 3 * count || count < 1 || count > 4 || width === 0 || height === 0) {
    throw decodeFailed('JPEG data are corrupted: the frame header is impossible');
  }
  if ((bits !== 8 && bits !== 12) || width * height > maxPixels) {
    throw decodeFailed(
      `JPEG image is ${grouped(width)} × ${grouped(height)} pixels of ${bits} bits, which is not what its page has`,
    );
  }
  const stated = Array.from({ length: count }, (_, i) => {
    const [id = 0, factors = 0, table = 0] = segment.subarray(6 + 3 * i);
    return { id, across: factors >> 4, down: factors & 15, table };
  });
  const across = Math.max(...stated.map((one) => one.across));
  const down = Math.max(...stated.map((one) => one.down));
  if (stated.some((one) => one.across < 1 || one.down < 1 || one.across > 4 || one.down > 4)) {
    throw decodeFailed('JPEG data are corrupted: a sampling factor is not 1 to 4');
  }
  if (stated.some((one) => across % one.across > 0 || down % one.down > 0)) {
    throw unsupported('JPEG with sampling factors that do not divide each other is not supported');
  }
  const components = stated.map((one): Component => {
    const columns = Math.ceil(width / (8 * across)) * one.across;
    const rows = Math.ceil(height / (8 * down)) * one.down;
    return {
      ...one,
      columns,
      rows,
      width: Math.ceil((width * one.across) / across),
      height: Math.ceil((height * one.down) / down),
      coefficients: new Int16Array(columns * rows * BLOCK),
    };
  });
  return { bits, width, height, progressive, components, across, down };
}
