/** Samples → stored bytes of one strip or tile: predictors, packing, byte order, compression, fill order. */
import { deflateSync } from 'node:zlib';
import { bitsOf, type Chunk, formatOf, type PageSpec } from './tiff.js';

/** Stored bytes of a strip or tile. */
export function encodeChunk(spec: PageSpec, chunk: Chunk, littleEndian: boolean): Uint8Array {
  const bytes = packChunk(spec, chunk, littleEndian);
  const compressed = compress(spec, chunk, bytes);
  return spec.fillOrder === 2 ? compressed.map(reverseBits) : compressed;
}

function compress(spec: PageSpec, chunk: Chunk, bytes: Uint8Array): Uint8Array {
  if (spec.encode) return spec.encode({ bytes, width: chunk.width, rows: chunk.rows, samples: chunk.samples });
  switch (spec.compression ?? 1) {
    case 1:
      return bytes;
    case 5:
      return encodeLzw(bytes);
    case 8:
    case 32946:
      return deflateSync(bytes);
    case 32773:
      return encodePackBits(bytes, bytes.length / chunk.rows);
    default:
      throw new Error(`the writer needs an encode function for compression ${spec.compression}`);
  }
}

/** Uncompressed bytes of a chunk, rows starting at a byte. */
function packChunk(spec: PageSpec, chunk: Chunk, littleEndian: boolean): Uint8Array {
  const bits = bitsOf(spec);
  const perRow = chunk.width * chunk.samples;
  const rowBytes = Math.ceil((perRow * bits) / 8);
  if ((spec.predictor ?? 1) === 1 && chunk.values.BYTES_PER_ELEMENT * 8 === bits)
    return plainBytes(chunk, littleEndian);
  const out = new Uint8Array(rowBytes * chunk.rows);
  for (let r = 0; r < chunk.rows; r++) {
    const values: (number | bigint)[] = [...chunk.values.subarray(r * perRow, (r + 1) * perRow)];
    const raw = values.map((value) => toBits(value, bits, formatOf(spec)));
    const row = out.subarray(r * rowBytes, (r + 1) * rowBytes);
    if (spec.predictor === 3) writeFloatPredicted(row, raw, bits, chunk.samples);
    else if (isWhole(spec)) writeWhole(row, difference(spec, raw, bits, chunk.samples), bits, littleEndian);
    else writePacked(row, difference(spec, raw, bits, chunk.samples), bits);
  }
  return out;
}

/** The array as it is in memory, in the file's byte order. */
function plainBytes(chunk: Chunk, littleEndian: boolean): Uint8Array {
  const { buffer, byteOffset, byteLength, BYTES_PER_ELEMENT: size } = chunk.values;
  const bytes = new Uint8Array(buffer, byteOffset, byteLength).slice();
  if (!littleEndian) for (let i = 0; i < bytes.length; i += size) bytes.subarray(i, i + size).reverse();
  return bytes;
}

function isWhole(spec: PageSpec): boolean {
  const bits = bitsOf(spec);
  return [8, 16, 32, 64].includes(bits) || (bits === 24 && formatOf(spec) === 3);
}

/** The stored bit pattern of a value as an unsigned integer. */
function toBits(value: number | bigint, bits: number, format: number): bigint {
  if (format !== 3) return BigInt.asUintN(bits, BigInt(value));
  const view = new DataView(new ArrayBuffer(8));
  if (bits === 64) {
    view.setFloat64(0, Number(value));
    return view.getBigUint64(0);
  }
  view.setFloat32(0, Number(value));
  const word = view.getUint32(0);
  if (bits === 32) return BigInt(word);
  return BigInt(bits === 24 ? narrowFloat(word, 7, 16) : narrowFloat(word, 5, 10));
}

/** Float32 bits → fewer exponent and mantissa bits. Only for values that the narrow form holds exactly. */
function narrowFloat(word: number, exponentBits: number, mantissaBits: number): number {
  const sign = word >>> 31;
  const exponent = (word >>> 23) & 0xff;
  const mantissa = word & 0x7fffff;
  const bias = 2 ** (exponentBits - 1) - 1;
  const top = 2 ** exponentBits - 1;
  const drop = 23 - mantissaBits;
  const assemble = (e: number, m: number) => sign * 2 ** (exponentBits + mantissaBits) + e * 2 ** mantissaBits + m;
  if (exponent === 0xff) return assemble(top, mantissa >>> drop);
  const narrow = exponent - 127 + bias;
  if (narrow >= 1) return assemble(narrow, mantissa >>> drop);
  const subnormal = exponent === 0 ? 0 : (mantissa | 0x800000) >>> (drop + 1 - narrow);
  return assemble(0, subnormal);
}

function difference(spec: PageSpec, row: bigint[], bits: number, stride: number): bigint[] {
  if (spec.predictor !== 2) return row;
  return row.map((value, i) => (i < stride ? value : BigInt.asUintN(bits, value - (row[i - stride] as bigint))));
}

function writeWhole(row: Uint8Array, values: bigint[], bits: number, littleEndian: boolean): void {
  const size = bits / 8;
  for (const [i, value] of values.entries()) {
    for (let b = 0; b < size; b++) {
      const at = littleEndian ? b : size - 1 - b;
      row[i * size + at] = Number((value >> BigInt(8 * b)) & 0xffn);
    }
  }
}

function writePacked(row: Uint8Array, values: bigint[], bits: number): void {
  let at = 0;
  for (const value of values) {
    for (let b = bits - 1; b >= 0; b--, at++) {
      if ((value >> BigInt(b)) & 1n) row[at >> 3] = (row[at >> 3] as number) | (0x80 >> (at & 7));
    }
  }
}

/** Predictor 3: byte planes, most significant first, then differences of bytes `stride` apart. */
function writeFloatPredicted(row: Uint8Array, values: bigint[], bits: number, stride: number): void {
  const size = bits / 8;
  const planes = new Uint8Array(row.length);
  for (let b = 0; b < size; b++) {
    for (const [i, value] of values.entries()) {
      planes[b * values.length + i] = Number((value >> BigInt(8 * (size - 1 - b))) & 0xffn);
    }
  }
  for (let i = 0; i < row.length; i++) {
    row[i] = (planes[i] as number) - (i < stride ? 0 : (planes[i - stride] as number));
  }
}

function reverseBits(byte: number): number {
  let out = 0;
  for (let b = 0; b < 8; b++) if (byte & (1 << b)) out |= 0x80 >> b;
  return out;
}

/** PackBits, never across rows (TIFF 6.0 section 9). */
export function encodePackBits(bytes: Uint8Array, rowBytes: number): Uint8Array {
  const out: number[] = [];
  for (let start = 0; start < bytes.length; start += rowBytes) {
    const row = bytes.subarray(start, start + rowBytes);
    let i = 0;
    while (i < row.length) {
      let run = 1;
      while (i + run < row.length && run < 128 && row[i + run] === row[i]) run++;
      if (run >= 2) {
        out.push(257 - run, row[i] as number);
        i += run;
        continue;
      }
      let end = i + 1;
      while (end < row.length && end - i < 128 && row[end] !== row[end + 1]) end++;
      out.push(end - i - 1, ...row.subarray(i, end));
      i = end;
    }
  }
  return Uint8Array.from(out);
}

/** TIFF LZW: codes MSB first, 9–12 bits, width grows one code early (TIFF 6.0 section 13). */
export function encodeLzw(bytes: Uint8Array, endOfInformation = true): Uint8Array {
  const out: number[] = [];
  let acc = 0;
  let filled = 0;
  let width = 9;
  const emit = (code: number) => {
    acc = (acc << width) | code;
    filled += width;
    while (filled >= 8) {
      filled -= 8;
      out.push((acc >>> filled) & 0xff);
      acc &= (1 << filled) - 1;
    }
  };
  let table = new Map<number, number>();
  let next = 258;
  emit(256);
  let prefix = -1;
  for (const byte of bytes) {
    if (prefix < 0) {
      prefix = byte;
      continue;
    }
    const key = prefix * 256 + byte;
    const known = table.get(key);
    if (known !== undefined) {
      prefix = known;
      continue;
    }
    emit(prefix);
    prefix = byte;
    table.set(key, next++);
    if (next === 512 || next === 1024 || next === 2048) width++;
    if (next === 4095) {
      emit(256);
      table = new Map();
      next = 258;
      width = 9;
    }
  }
  if (prefix >= 0) {
    emit(prefix);
    next++;
    if (next === 512 || next === 1024 || next === 2048) width++;
  }
  if (endOfInformation) emit(257);
  if (filled > 0) out.push((acc << (8 - filled)) & 0xff);
  return Uint8Array.from(out);
}
