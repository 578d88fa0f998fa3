import { AcqError, decodeFailed } from '../base/errors.js';
import { grouped, plural } from '../base/wording.js';
import { type ByteSource, checkRange } from './byte-source.js';
import { type OleEntry, type OleHeader, parseOleDirectory, parseOleHeader } from './ole-records.js';

/**
 * A compound file (OLE2, CFB): a small file system inside a file. Opening reads the header, the allocation table and the
 * directory; a stream is read on request, as runs of neighboring sectors. Layout: MS-CFB.
 */
export interface OleFile {
  /** Streams by path, storages joined with `/`, in the order of the directory. */
  readonly streams: ReadonlyMap<string, OleEntry>;
  /**
   * Opens a stream by its path; `undefined` when there is none.
   * @param bytes as many of its first bytes as are needed, so that the sectors of a long stream are not looked up; all when omitted
   */
  open(path: string, bytes?: number): ByteSource | undefined;
}

const SPECIAL = 0xfffffffa;

/** True when a compound file has a stream with a matching path; false also when its directory cannot be read. */
export function hasOleStream(source: ByteSource, matches: (path: string) => boolean): boolean {
  try {
    for (const path of openOle(source).streams.keys()) if (matches(path)) return true;
    return false;
  } catch (error) {
    if (error instanceof AcqError) return false;
    throw error;
  }
}

/** @throws AcqError `decode_failed` for a corrupted or cyclic allocation table or directory */
export function openOle(source: ByteSource): OleFile {
  const header = parseOleHeader(source);
  const fat = readFat(source, header);
  const next = (sector: number) => fat[sector];
  const directoryRuns = chainRuns(source, header, next, header.firstDirectorySector, Number.POSITIVE_INFINITY);
  const entries = parseOleDirectory(readAll(source, directoryRuns), header.version);
  const root = entries.root;
  const mini = miniStream(source, header, next, root);
  const open = (entry: OleEntry, size: number): ByteSource => {
    if (entry.size < header.miniCutoff) return mini().open(entry, size);
    return new RunSource(source, entry.path, chainRuns(source, header, next, entry.firstSector, size), size);
  };
  return {
    streams: entries.streams,
    open: (path, bytes = Number.POSITIVE_INFINITY) => {
      const entry = entries.streams.get(path);
      return entry && open(entry, Math.min(bytes, entry.size));
    },
  };
}

/** A contiguous part of the file. */
type SectorRun = [offset: number, length: number];

/** Reads the allocation table: the next sector of each sector. Its own sectors are listed in the header and the DIFAT chain. */
function readFat(source: ByteSource, header: OleHeader): Uint32Array {
  const sectors = [...header.difat];
  const perSector = header.sectorSize / 4;
  const limit = Math.ceil(source.size / header.sectorSize) + 1;
  let difat = header.firstDifatSector;
  for (let steps = 0; difat < SPECIAL; steps++) {
    if (steps > limit) throw decodeFailed('the list of allocation sectors contains a loop; the file is corrupted');
    const words = sectorWords(source, header, difat);
    sectors.push(...words.subarray(0, perSector - 1));
    difat = words[perSector - 1]!;
  }
  const used = sectors.filter((sector) => sector < SPECIAL);
  if (used.length > limit) {
    throw decodeFailed(`lists ${grouped(used.length)} allocation sectors; the file has room for ${grouped(limit)}`);
  }
  const fat = new Uint32Array(used.length * perSector);
  for (const [i, sector] of used.entries()) fat.set(sectorWords(source, header, sector), i * perSector);
  return fat;
}

function sectorWords(source: ByteSource, header: OleHeader, sector: number): Uint32Array {
  const bytes = source.read((sector + 1) * header.sectorSize, header.sectorSize);
  return new Uint32Array(bytes.buffer, bytes.byteOffset, header.sectorSize / 4);
}

/** Follows a chain of sectors and joins neighbors, up to `size` bytes; an infinite size takes the whole chain. */
function chainRuns(
  source: ByteSource,
  header: OleHeader,
  next: (sector: number) => number | undefined,
  first: number,
  size: number,
): SectorRun[] {
  const { sectorSize } = header;
  const limit = Math.ceil(source.size / sectorSize);
  const runs: SectorRun[] = [];
  let sector = first;
  let total = 0;
  // Brent's algorithm: a chain with a loop soon meets the sector remembered at the last power of two again.
  let turtle = -1;
  for (let steps = 0; total < size && sector < SPECIAL; steps++) {
    if (steps > limit || sector === turtle) {
      throw decodeFailed(`the chain of sectors from sector ${grouped(first)} contains a loop; the file is corrupted`);
    }
    if ((steps & (steps - 1)) === 0) turtle = sector;
    const offset = (sector + 1) * sectorSize;
    // Writers that do not pad leave the last sector of a file incomplete.
    const length = Math.min(sectorSize, size - total, source.size - offset);
    if (length <= 0) throw decodeFailed(`sector ${grouped(sector)} falls outside the file; the file is truncated`);
    const last = runs.at(-1);
    if (last && last[0] + last[1] === offset) last[1] += length;
    else runs.push([offset, length]);
    total += length;
    const following = next(sector);
    if (following === undefined)
      throw decodeFailed(`the allocation table has no sector ${grouped(sector)}; the file is corrupted`);
    sector = following;
  }
  if (Number.isFinite(size) && total < size) {
    throw decodeFailed(
      `a stream has ${grouped(total)} of its ${plural(size, 'byte')}; the file is truncated or corrupted`,
    );
  }
  return runs;
}

function readAll(source: ByteSource, runs: SectorRun[]): Uint8Array {
  const bytes = new Uint8Array(runs.reduce((sum, [, length]) => sum + length, 0));
  let at = 0;
  for (const [offset, length] of runs) {
    source.readInto(bytes.subarray(at, at + length), offset);
    at += length;
  }
  return bytes;
}

interface OpenEntry {
  /** @param size bytes of the entry to open */
  open(entry: OleEntry, size: number): ByteSource;
}

/** Streams below the cutoff are stored in 64-byte sectors inside the stream of the root. Set up on first use. */
function miniStream(
  source: ByteSource,
  header: OleHeader,
  next: (sector: number) => number | undefined,
  root: { firstSector: number; size: number },
): () => OpenEntry {
  let ready: OpenEntry | undefined;
  return () => {
    ready ??= openMini();
    return ready;
  };
  function openMini() {
    const container = new RunSource(
      source,
      source.name,
      chainRuns(source, header, next, root.firstSector, root.size),
      root.size,
    );
    const table = readAll(source, chainRuns(source, header, next, header.firstMiniFatSector, Number.POSITIVE_INFINITY));
    const words = new Uint32Array(table.buffer, table.byteOffset, Math.floor(table.length / 4));
    // Sector 0 of the mini stream starts at byte 0; `chainRuns` skips one sector for the file header.
    const shifted = { ...header, sectorSize: header.miniSectorSize };
    const view: ByteSource = {
      name: source.name,
      size: container.size + header.miniSectorSize,
      read: (offset, length) => container.read(offset - header.miniSectorSize, length),
      readInto: (target, offset) => container.readInto(target, offset - header.miniSectorSize),
      close: () => {},
    };
    return {
      open: (entry: OleEntry, size: number) => {
        const runs = chainRuns(view, shifted, (sector) => words[sector], entry.firstSector, size);
        return new RunSource(view, entry.path, runs, size);
      },
    };
  }
}

/** A stream as a source: offsets map to runs of the file. */
class RunSource implements ByteSource {
  readonly name: string;
  readonly size: number;
  private readonly parent: ByteSource;
  private readonly runs: SectorRun[];
  /** Offset in the stream at which each run starts. */
  private readonly starts: number[];

  constructor(parent: ByteSource, path: string, runs: SectorRun[], size: number) {
    this.parent = parent;
    this.name = `${parent.name} [${path}]`;
    this.runs = runs;
    this.size = size;
    let at = 0;
    this.starts = runs.map(([, length]) => {
      const start = at;
      at += length;
      return start;
    });
  }

  read(offset: number, length: number): Uint8Array {
    checkRange(this.name, this.size, offset, length);
    const target = new Uint8Array(length);
    this.readInto(target, offset);
    return target;
  }

  readInto(target: Uint8Array, offset: number): void {
    checkRange(this.name, this.size, offset, target.length);
    let done = 0;
    for (let i = this.runAt(offset); done < target.length; i++) {
      const [start, length] = this.runs[i]!;
      const skip = offset + done - this.starts[i]!;
      const n = Math.min(length - skip, target.length - done);
      this.parent.readInto(target.subarray(done, done + n), start + skip);
      done += n;
    }
  }

  close(): void {}

  /** Returns the index of the run that contains an offset. */
  private runAt(offset: number): number {
    let low = 0;
    let high = this.starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.starts[middle]! <= offset) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}
