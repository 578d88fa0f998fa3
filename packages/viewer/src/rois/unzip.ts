/** Reads small entries of ZIP files (APPNOTE 6.3): stored or deflated, without Zip64 and encryption. */

export interface ZipLimits {
  readonly entries: number;
  /** Bytes of one entry, and of all. */
  readonly entryBytes: number;
  readonly totalBytes: number;
}

interface ZipEntry {
  readonly name: string;
  readonly method: number;
  readonly start: number;
  readonly packed: number;
}

const END = 0x06054b50;
const END_SIZE = 22;
const MAX_COMMENT = 0xffff;

/** Returns the entries of a ZIP file; null for other files. @throws RangeError for a file that is corrupted or too large */
export function listZip(bytes: Uint8Array, limits: ZipLimits): ZipEntry[] | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let end = bytes.length - END_SIZE;
  const lowest = Math.max(0, end - MAX_COMMENT);
  while (end >= lowest && view.getUint32(end, true) !== END) end -= 1;
  if (end < lowest) return null;
  const count = view.getUint16(end + 10, true);
  if (count > limits.entries) throw new RangeError(`too many entries (${count}; limit ${limits.entries})`);
  const entries: ZipEntry[] = [];
  let at = view.getUint32(end + 16, true);
  for (let i = 0; i < count; i++) {
    if (at + 46 > end || view.getUint32(at, true) !== 0x02014b50)
      throw new RangeError('the ZIP directory is corrupted');
    const [nameLength, extra, comment] = [28, 30, 32].map((offset) => view.getUint16(at + offset, true)) as number[];
    entries.push({
      name: new TextDecoder().decode(bytes.subarray(at + 46, at + 46 + nameLength!)),
      method: view.getUint16(at + 10, true),
      start: view.getUint32(at + 42, true),
      packed: view.getUint32(at + 20, true),
    });
    at += 46 + nameLength! + extra! + comment!;
  }
  return entries;
}

/** Yields the entries that `wanted` chooses with their bytes. @throws RangeError as `listZip`, TypeError for bad data */
export async function* unzip(
  bytes: Uint8Array<ArrayBuffer>,
  limits: ZipLimits,
  wanted: (name: string) => boolean,
): AsyncGenerator<{ readonly name: string; readonly content: Uint8Array }> {
  let left = limits.totalBytes;
  for (const entry of listZip(bytes, limits) ?? []) {
    if (!wanted(entry.name)) continue;
    const content = await inflate(packedBytes(bytes, entry), entry, Math.min(left, limits.entryBytes));
    left -= content.length;
    yield { name: entry.name, content };
  }
}

function packedBytes(bytes: Uint8Array<ArrayBuffer>, { name, start, packed }: ZipEntry): Uint8Array<ArrayBuffer> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const isHeader = start + 30 <= bytes.length && view.getUint32(start, true) === 0x04034b50;
  const from = isHeader ? start + 30 + view.getUint16(start + 26, true) + view.getUint16(start + 28, true) : 0;
  if (!isHeader || from + packed > bytes.length) throw new RangeError(`${name} falls outside the file`);
  return bytes.subarray(from, from + packed);
}

async function inflate(
  packed: Uint8Array<ArrayBuffer>,
  { name, method }: ZipEntry,
  limit: number,
): Promise<Uint8Array> {
  const tooLarge = () => new RangeError(`${name} is too large`);
  if (method === 0) {
    if (packed.length > limit) throw tooLarge();
    return packed;
  }
  if (method !== 8) throw new RangeError(`${name} is compressed in a way that is not supported`);
  const reader = new Blob([packed]).stream().pipeThrough(new DecompressionStream('deflate-raw')).getReader();
  const parts: Uint8Array[] = [];
  let size = 0;
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    size += next.value.length;
    if (size > limit) {
      await reader.cancel();
      throw tooLarge();
    }
    parts.push(next.value);
  }
  const whole = new Uint8Array(size);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
