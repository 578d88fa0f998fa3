import { decodeFailed } from '../base/errors.js';
import { grouped } from '../base/wording.js';
import { BitReader } from './bit-reader.js';

/** Parameters of an szip stream, as HDF5 stores them with the dataset. */
export interface SzipOptions {
  /** Samples are stored as differences from a prediction ("nearest neighbor"). */
  isPredicted: boolean;
  bigEndian: boolean;
  /** 1 to 24, 32 or 64. */
  bitsPerSample: number;
  samplesPerBlock: number;
  samplesPerLine: number;
}

/** The longest of the pairs that the second extension option can code. */
const MAX_PAIR = 90;

/**
 * Decodes an szip stream: extended-Rice coding, CCSDS 121.0-B-3 (lossless data compression), with the conventions of the
 * szip library for lines that are not whole blocks and for samples of 32 and 64 bits.
 * @param size bytes of the result
 * @throws AcqError `decode_failed`
 */
export function decodeSzip(data: Uint8Array, options: SzipOptions, size: number): Uint8Array {
  const { bitsPerSample, samplesPerBlock, samplesPerLine } = checked(options);
  // Samples of 32 and 64 bits are coded as bytes: first those of the lowest address, then the next ones.
  const isSplit = bitsPerSample >= 32;
  const bits = isSplit ? 8 : bitsPerSample;
  const width = bits > 16 ? 4 : bits > 8 ? 2 : 1;
  const out = new Uint8Array(size);
  const reader = new BitReader(data);
  const line = new Uint32Array(Math.ceil(samplesPerLine / samplesPerBlock) * samplesPerBlock);
  const count = Math.floor(size / width);
  for (let done = 0; done < count; done += samplesPerLine) {
    readLine(reader, line, samplesPerBlock, bits, options.isPredicted);
    if (options.isPredicted) undoPrediction(line, bits);
    const used = Math.min(samplesPerLine, count - done);
    putSamples(line, used, out, done * width, width, options.bigEndian);
  }
  return isSplit ? joinBytes(out, bitsPerSample / 8) : out;
}

function checked(options: SzipOptions): SzipOptions {
  const { bitsPerSample, samplesPerBlock, samplesPerLine } = options;
  const isKnown = (bitsPerSample >= 1 && bitsPerSample <= 24) || bitsPerSample === 32 || bitsPerSample === 64;
  const isBlock = samplesPerBlock >= 2 && samplesPerBlock <= 32 && samplesPerBlock % 2 === 0;
  if (!isKnown || !isBlock || samplesPerLine < 1 || samplesPerLine > 128 * samplesPerBlock) {
    throw decodeFailed(
      `szip parameters are out of range: ${bitsPerSample} bits, blocks of ${grouped(samplesPerBlock)}, lines of ${grouped(samplesPerLine)}`,
    );
  }
  return options;
}

/** Reads the coded values of one line, block by block. */
function readLine(reader: BitReader, line: Uint32Array, block: number, bits: number, isPredicted: boolean): void {
  const optionBits = bits > 16 ? 5 : bits > 8 ? 4 : 3;
  const uncompressed = 2 ** optionBits - 1;
  for (let start = 0; start < line.length; ) {
    const option = reader.read(optionBits);
    // The first sample of a line is stored as it is.
    const first = isPredicted && start === 0 ? start + 1 : start;
    const end = start + block;
    if (option === uncompressed) {
      for (let i = start; i < end; i++) line[i] = reader.read(bits);
      start = end;
      continue;
    }
    const isPairs = option === 0 && reader.read(1) === 1;
    if (first > start) line[start] = reader.read(bits);
    if (option > 0) readSplit(reader, line, first, end, option - 1, bits);
    else if (isPairs) readPairs(reader, line, start, first, end);
    else {
      start = readZeros(reader, line, start, first, block);
      continue;
    }
    start = end;
  }
}

/** Sample splitting: the high bits of every sample in unary, then the `low` low bits of every sample. */
function readSplit(reader: BitReader, line: Uint32Array, from: number, to: number, low: number, bits: number): void {
  const limit = 2 ** bits;
  for (let i = from; i < to; i++) {
    const value = reader.countZeros() * 2 ** low;
    if (value >= limit) throw decodeFailed(`szip data are corrupted: a value has more than ${bits} bits`);
    line[i] = value;
  }
  if (low === 0) return;
  for (let i = from; i < to; i++) line[i] = line[i]! + reader.read(low);
}

/** Second extension: two samples in one number, which counts the pairs (a, b) by their sum, then by b. */
function readPairs(reader: BitReader, line: Uint32Array, start: number, first: number, to: number): void {
  for (let i = start; i < to; i += 2) {
    const number = reader.countZeros();
    if (number > MAX_PAIR) throw decodeFailed('szip data are corrupted: a pair of samples is out of range');
    const sum = Math.floor((Math.sqrt(8 * number + 1) - 1) / 2);
    const second = number - (sum * (sum + 1)) / 2;
    if (i >= first) line[i] = sum - second;
    line[i + 1] = second;
  }
}

/** Zero blocks: from 1 to 63 blocks of zeros. Returns where they end. */
function readZeros(reader: BitReader, line: Uint32Array, start: number, first: number, block: number): number {
  const index = start / block;
  const number = reader.countZeros() + 1;
  // Five stands for the rest of the line, or of its part of 64 blocks.
  const rest = Math.min(line.length / block - index, 64 - (index % 64));
  const blocks = number === 5 ? rest : number > 5 ? number - 1 : number;
  const end = start + blocks * block;
  if (end > line.length) throw decodeFailed('szip data are corrupted: zeros reach over the end of a line');
  line.fill(0, first, end);
  return end;
}

/** Turns coded differences into samples: each is predicted by the one before it. */
function undoPrediction(line: Uint32Array, bits: number): void {
  const max = 2 ** bits - 1;
  const middle = 2 ** (bits - 1);
  let sample = line[0]!;
  for (let i = 1; i < line.length; i++) {
    const coded = line[i]!;
    // Room on the nearer side; beyond it, all differences have the same sign.
    const mirror = sample >= middle ? max : 0;
    const room = mirror ^ sample;
    if (Math.ceil(coded / 2) <= room) sample += coded % 2 === 0 ? coded / 2 : -(coded + 1) / 2;
    else sample = mirror ^ coded;
    line[i] = sample;
  }
}

function putSamples(
  line: Uint32Array,
  count: number,
  out: Uint8Array,
  at: number,
  width: number,
  bigEndian: boolean,
): void {
  if (width === 1) {
    for (let i = 0; i < count; i++) out[at + i] = line[i]!;
    return;
  }
  const view = new DataView(out.buffer, out.byteOffset, out.byteLength);
  for (let i = 0; i < count; i++) {
    if (width === 2) view.setUint16(at + 2 * i, line[i]!, !bigEndian);
    else view.setUint32(at + 4 * i, line[i]!, !bigEndian);
  }
}

/** Byte `k` of sample `i` is at `k · count + i`. */
function joinBytes(bytes: Uint8Array, width: number): Uint8Array {
  const out = new Uint8Array(bytes.length);
  const count = Math.floor(bytes.length / width);
  for (let k = 0; k < width; k++) {
    for (let i = 0; i < count; i++) out[i * width + k] = bytes[k * count + i]!;
  }
  return out;
}
