import { AcqError, decodeFailed, unsupported } from '../base/errors.js';
import { LIMITS } from '../base/limits.js';
import { platform } from '../base/platform.js';
import { about } from '../base/subject.js';
import { grouped, plural } from '../base/wording.js';
import { ByteCache } from '../model/samples/byte-cache.js';
import { type ByteSource, checkRange, MemorySource } from './byte-source.js';
import { WindowSource } from './window-source.js';
import { type CentralEntry, centralEntries, findCentralDirectory, LOCAL, LOCAL_BYTES } from './zip-records.js';

const STORED = 0;
const DEFLATED = 8;
const FLAG_ENCRYPTED = 1;
/** Deflate expands one byte to at most this many. */
const MAX_RATIO = 1032;
/** Bytes of inflated entries to keep; the entry in use always stays. */
const INFLATED_BYTES = 512 * 2 ** 20;

export interface ZipEntry {
  /** Path with `/`, relative, without `.` or `..`. */
  readonly name: string;
  readonly size: number;
  readonly compressedSize: number;
  /** 0 stored, 8 deflated; others cannot be opened. */
  readonly method: number;
}

/** True when a file starts like a ZIP archive: with an entry, or with the end record of an empty archive. */
export function isZip(head: Uint8Array): boolean {
  const [p, k, kind, more] = head;
  return p === 0x50 && k === 0x4b && ((kind === 3 && more === 4) || (kind === 5 && more === 6));
}

/** True when an archive has an entry with a matching name; false also when its directory cannot be read. */
export function hasZipEntry(source: ByteSource, matches: (name: string) => boolean): boolean {
  try {
    const directory = findCentralDirectory(source);
    const bytes = source.read(directory.offset, directory.size);
    for (const raw of centralEntries(bytes, directory.entries)) {
      if (matches(decodeName(raw).replaceAll('\\', '/'))) return true;
    }
    return false;
  } catch (error) {
    if (error instanceof AcqError) return false;
    throw error;
  }
}

interface KnownEntry extends ZipEntry {
  readonly crc32: number;
  readonly localOffset: number;
  readonly encrypted: boolean;
}

/**
 * A ZIP archive. Opening reads its directory; an entry is read on request. Stored entries are windows into the archive;
 * deflated ones are inflated at once, verified by their checksum, and kept while they fit a budget. The checksum of a
 * stored entry is verified when all of it is read at once. Format: PKWARE APPNOTE 6.3.
 */
export class ZipArchive {
  private readonly source: ByteSource;
  private readonly entries: ReadonlyMap<string, KnownEntry>;
  private readonly inflated = new ByteCache<string, MemorySource>(INFLATED_BYTES, ({ size }) => size, {
    keepNewest: true,
  });

  /**
   * Reads the directory.
   * @throws AcqError `decode_failed` for a corrupted directory, a name that leads out of the archive, entries that
   * overlap or claim an impossible size
   */
  constructor(source: ByteSource) {
    this.source = source;
    this.entries = about(source.name, () => readEntries(source));
  }

  /** Returns the files, in the order of the directory, without folders. */
  list(): ZipEntry[] {
    return [...this.entries.values()];
  }

  /** Returns the names of the files. */
  names(): string[] {
    return [...this.entries.keys()];
  }

  /**
   * Opens an entry; `undefined` when there is none of this name. Reads only its header until the first use.
   * @throws AcqError `decode_failed`, `unsupported_format`
   */
  open(name: string): ByteSource | undefined {
    const entry = this.entries.get(name);
    if (!entry) return undefined;
    const label = `${this.source.name}/${name}`;
    return about(label, () => this.openEntry(entry, label));
  }

  private openEntry(entry: KnownEntry, label: string): ByteSource {
    if (entry.encrypted)
      throw unsupported('is encrypted, which is not supported. Unpack the archive and open the folder.');
    const start = this.dataOffset(entry, label);
    if (entry.method === STORED) return new StoredSource(label, this.source, start, entry);
    if (entry.method !== DEFLATED) {
      throw unsupported(`compression method ${entry.method} is not supported; only stored and deflated entries are`);
    }
    if (entry.size > LIMITS.zipInflatedBytes) {
      throw unsupported(
        `inflates to ${plural(entry.size, 'byte')}; the limit is ${grouped(LIMITS.zipInflatedBytes)}. Unpack the archive and open the folder.`,
      );
    }
    return new InflatedSource(label, entry.size, () => this.inflate(entry, label, start));
  }

  private dataOffset(entry: KnownEntry, label: string): number {
    const header = this.source.read(entry.localOffset, LOCAL_BYTES);
    const view = new DataView(header.buffer, header.byteOffset, header.length);
    if (view.getUint32(0, true) !== LOCAL)
      throw decodeFailed('is not at the offset in the ZIP directory; the archive is corrupted');
    const start = entry.localOffset + LOCAL_BYTES + view.getUint16(26, true) + view.getUint16(28, true);
    checkRange(label, this.source.size, start, entry.compressedSize);
    return start;
  }

  private inflate(entry: KnownEntry, label: string, start: number): MemorySource {
    const known = this.inflated.get(entry.name);
    if (known) return known;
    const fresh = new MemorySource(
      label,
      about(label, () => inflateEntry(this.source.read(start, entry.compressedSize), entry)),
    );
    this.inflated.put(entry.name, fresh);
    return fresh;
  }
}

/** A stored entry. Verifies the checksum when all of it is read at once, as documents and chunks are. */
class StoredSource extends WindowSource {
  private readonly crc32: number;

  constructor(label: string, archive: ByteSource, start: number, { size, crc32 }: KnownEntry) {
    super(label, archive, start, size);
    this.crc32 = crc32;
  }

  override read(offset: number, length: number): Uint8Array {
    return this.checked(super.read(offset, length));
  }

  override readInto(target: Uint8Array, offset: number): void {
    super.readInto(target, offset);
    this.checked(target);
  }

  private checked(bytes: Uint8Array): Uint8Array {
    if (bytes.length === this.size && platform().inflate.crc32(bytes) !== this.crc32)
      throw wrongChecksum().about(this.name);
    return bytes;
  }
}

function wrongChecksum(): AcqError {
  return decodeFailed('the checksum does not match; the archive is corrupted');
}

function inflateEntry(packed: Uint8Array, entry: KnownEntry): Uint8Array {
  let bytes: Uint8Array | 'too large';
  try {
    // One byte more than announced reveals an entry that is longer.
    bytes = platform().inflate.inflate(packed, { wrapper: 'raw', limit: entry.size + 1 });
  } catch (error) {
    throw decodeFailed(`cannot be inflated: ${(error as Error).message}`, error);
  }
  if (bytes === 'too large') throw decodeFailed(`inflates to more than the ${plural(entry.size, 'byte')} of its entry`);
  if (bytes.length !== entry.size) {
    throw decodeFailed(`inflated to ${plural(bytes.length, 'byte')}; expected ${grouped(entry.size)}`);
  }
  if (platform().inflate.crc32(bytes) !== entry.crc32) throw wrongChecksum();
  return bytes;
}

function readEntries(source: ByteSource): Map<string, KnownEntry> {
  const directory = findCentralDirectory(source);
  const bytes = source.read(directory.offset, directory.size);
  const entries = new Map<string, KnownEntry>();
  const spans: { start: number; end: number; name: string }[] = [];
  for (const raw of centralEntries(bytes, directory.entries)) {
    const name = checkedName(raw);
    checkSizes(source, raw, name, directory.offset);
    const end = raw.localOffset + LOCAL_BYTES + raw.nameBytes.length + raw.compressedSize;
    spans.push({ start: raw.localOffset, end, name });
    if (name.endsWith('/')) continue;
    if (entries.has(name)) throw decodeFailed(`has two entries named ${name}; the archive is corrupted`);
    entries.set(name, {
      name,
      size: raw.size,
      compressedSize: raw.compressedSize,
      method: raw.method,
      crc32: raw.crc32,
      localOffset: raw.localOffset,
      encrypted: (raw.flags & FLAG_ENCRYPTED) !== 0,
    });
  }
  refuseOverlaps(spans);
  return entries;
}

function checkSizes(source: ByteSource, raw: CentralEntry, name: string, directoryOffset: number): void {
  const { localOffset, compressedSize, size, method } = raw;
  checkRange(
    `${source.name}/${name}`,
    directoryOffset,
    localOffset,
    LOCAL_BYTES + raw.nameBytes.length + compressedSize,
  );
  const maxSize = method === STORED ? compressedSize : compressedSize * MAX_RATIO + MAX_RATIO;
  const encryption = (raw.flags & FLAG_ENCRYPTED) !== 0 ? 12 : 0;
  const isStoredWrong = method === STORED && size + encryption !== compressedSize;
  if (isStoredWrong || size > maxSize) {
    throw decodeFailed(
      `${plural(compressedSize, 'compressed byte')} cannot expand to ${grouped(size)}; the archive is corrupted`,
    ).about(`${source.name}/${name}`);
  }
}

/** Overlapping entries let a small archive expand to petabytes. */
function refuseOverlaps(spans: { start: number; end: number; name: string }[]): void {
  spans.sort((a, b) => a.start - b.start);
  for (const [i, span] of spans.entries()) {
    const before = spans[i - 1];
    if (before && span.start < before.end) {
      throw decodeFailed(`the entries ${before.name} and ${span.name} overlap; the archive is corrupted or malicious`);
    }
  }
}

/** Returns a name that is relative, with `/`, and inside the archive. Old Windows programs wrote `\`. */
function checkedName(raw: CentralEntry): string {
  const name = decodeName(raw).replaceAll('\\', '/');
  const parts = name.split('/');
  const inside = !parts.some((part, i) => part === '..' || part === '.' || (part === '' && i < parts.length - 1));
  if (name === '' || !inside || name.includes('\0') || /^[A-Za-z]:/.test(name)) {
    throw decodeFailed(`the ZIP entry name ${JSON.stringify(name.slice(0, 80))} leads out of the archive`);
  }
  return name;
}

/** Decodes UTF-8, flagged or not, and falls back to Latin-1. */
function decodeName({ nameBytes }: CentralEntry): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(nameBytes);
  } catch {
    return new TextDecoder('latin1').decode(nameBytes);
  }
}

/** A deflated entry, inflated at its first read. */
class InflatedSource implements ByteSource {
  readonly name: string;
  readonly size: number;
  private readonly bytes: () => MemorySource;

  constructor(name: string, size: number, bytes: () => MemorySource) {
    this.name = name;
    this.size = size;
    this.bytes = bytes;
  }

  read(offset: number, length: number): Uint8Array {
    checkRange(this.name, this.size, offset, length);
    return this.bytes().read(offset, length);
  }

  readInto(target: Uint8Array, offset: number): void {
    checkRange(this.name, this.size, offset, target.length);
    this.bytes().readInto(target, offset);
  }

  close(): void {}
}
