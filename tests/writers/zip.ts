import { crc32, deflateRawSync } from 'node:zlib';

export interface ZipFile {
  name: string;
  bytes: Uint8Array;
  /** Stored by default. */
  deflate?: boolean;
  /** Sizes and offset go into the zip64 field. */
  zip64?: boolean;
}

export interface ZipOptions {
  comment?: string;
  /** Writes the zip64 end record as well. */
  zip64?: boolean;
}

const utf8 = (text: string) => new TextEncoder().encode(text);

/** Writes a zip archive: local headers and data, central directory, end record. */
export function writeZip(files: readonly ZipFile[], options: ZipOptions = {}): Uint8Array {
  const parts: Uint8Array[] = [];
  const central: Uint8Array[] = [];
  let offset = 0;
  for (const file of files) {
    const packed = file.deflate ? new Uint8Array(deflateRawSync(file.bytes)) : file.bytes;
    const local = localHeader(file, packed);
    central.push(centralHeader(file, packed, offset));
    parts.push(local, packed);
    offset += local.length + packed.length;
  }
  const size = central.reduce((sum, { length }) => sum + length, 0);
  return new Uint8Array(Buffer.concat([...parts, ...central, endRecords(files.length, size, offset, options)]));
}

function localHeader(file: ZipFile, packed: Uint8Array): Uint8Array {
  const name = utf8(file.name);
  const bytes = new Uint8Array(30 + name.length);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, 0x04034b50, true);
  common(view, 4, file, packed);
  view.setUint16(26, name.length, true);
  bytes.set(name, 30);
  return bytes;
}

/** Version, flags, method, time, checksum and sizes, which both headers share. */
function common(view: DataView, at: number, file: ZipFile, packed: Uint8Array): void {
  view.setUint16(at, 20, true);
  view.setUint16(at + 2, 0x0800, true);
  view.setUint16(at + 4, file.deflate ? 8 : 0, true);
  view.setUint32(at + 10, crc32(file.bytes), true);
  view.setUint32(at + 14, packed.length, true);
  view.setUint32(at + 18, file.bytes.length, true);
}

function centralHeader(file: ZipFile, packed: Uint8Array, offset: number): Uint8Array {
  const name = utf8(file.name);
  const extra = file.zip64 ? 28 : 0;
  const bytes = new Uint8Array(46 + name.length + extra);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, 0x02014b50, true);
  view.setUint16(4, 20, true);
  common(view, 6, file, packed);
  view.setUint16(28, name.length, true);
  view.setUint16(30, extra, true);
  view.setUint32(42, offset, true);
  bytes.set(name, 46);
  if (file.zip64) {
    const at = 46 + name.length;
    for (const field of [20, 24, 42]) view.setUint32(field, 0xffffffff, true);
    view.setUint16(at, 1, true);
    view.setUint16(at + 2, 24, true);
    view.setBigUint64(at + 4, BigInt(file.bytes.length), true);
    view.setBigUint64(at + 12, BigInt(packed.length), true);
    view.setBigUint64(at + 20, BigInt(offset), true);
  }
  return bytes;
}

function endRecords(count: number, size: number, offset: number, options: ZipOptions): Uint8Array {
  const comment = utf8(options.comment ?? '');
  const end = new Uint8Array(22 + comment.length);
  const view = new DataView(end.buffer);
  view.setUint32(0, 0x06054b50, true);
  view.setUint16(8, options.zip64 ? 0xffff : count, true);
  view.setUint16(10, options.zip64 ? 0xffff : count, true);
  view.setUint32(12, options.zip64 ? 0xffffffff : size, true);
  view.setUint32(16, options.zip64 ? 0xffffffff : offset, true);
  view.setUint16(20, comment.length, true);
  end.set(comment, 22);
  if (!options.zip64) return end;
  const wide = new Uint8Array(76);
  const record = new DataView(wide.buffer);
  record.setUint32(0, 0x06064b50, true);
  record.setBigUint64(4, 44n, true);
  record.setBigUint64(24, BigInt(count), true);
  record.setBigUint64(32, BigInt(count), true);
  record.setBigUint64(40, BigInt(size), true);
  record.setBigUint64(48, BigInt(offset), true);
  record.setUint32(56, 0x07064b50, true);
  record.setBigUint64(64, BigInt(offset + size), true);
  record.setUint32(72, 1, true);
  return new Uint8Array(Buffer.concat([wide, end]));
}
