import { decodeFailed } from '../errors.js';
import { type ByteSource, checkRange } from './byte-source.js';
import { type OleEntry, type OleHeader, parseOleDirectory, parseOleHeader } from './ole-records.js';

/**
 * A compound file (OLE2, CFB): a small file system inside a file. Lazy: opening reads header, allocation table and
 * directory; a stream is read when asked for, as runs of neighbouring sectors. Layout after MS-CFB.
 */
export interface OleFile {
  /** Streams by path, storages joined with `/`, in the order of the directory. */
  readonly streams: ReadonlyMap<string, OleEntry>;
  /** The bytes of a stream as a source of their own; `undefined` when there is none of that path. */
  open(path: string): ByteSource | undefined;
}

const SPECIAL = 0xfffffffa;

/** @throws AcqError `decode_failed` for a damaged or cyclic allocation table or directory */
export function openOle(source: ByteSource): OleFile {
  const header = parseOleHeader(source);
  const fat = readFat(source, header);
  const next = (sector: number) => fat[sector];
  const directoryRuns = chainRuns(source, header, next, header.firstDirectorySector, Number.POSITIVE_INFINITY);
  const entries = parseOleDirectory(source.name, readAll(source, directoryRuns), header.version);
  const root = entries.root;
  const mini = miniStream(source, header, next, root);
  const open = (entry: OleEntry): ByteSource => {
    if (entry.size >= header.miniCutoff) {
      return new RunSource(
        source,
        entry.path,
        chainRuns(source, header, next, entry.firstSector, entry.size),
        entry.size,
      );
    }
    return mini().open(entry);
  };
  return {
    streams: entries.streams,
    open: (path) => {
      const entry = entries.streams.get(path);
      return entry && open(entry);
    },
  };
}

/** A stretch of the file. */
type Run = [offset: number, length: number];

/** All "next sector" numbers. The list of FAT sectors is in the header and, for large files, in the DIFAT chain. */
function readFat(source: ByteSource, header: OleHeader): Uint32Array {
  const sectors = [...header.difat];
  const perSector = header.sectorSize / 4;
  const limit = Math.ceil(source.size / header.sectorSize) + 1;
  let difat = header.firstDifatSector;
  for (let steps = 0; difat < SPECIAL; steps++) {
    if (steps > limit) throw decodeFailed(`${source.name}: the list of allocation sectors runs in a circle`);
    const words = sectorWords(source, header, difat);
    sectors.push(...words.subarray(0, perSector - 1));
    difat = words[perSector - 1] as number;
  }
  const used = sectors.filter((sector) => sector < SPECIAL);
  if (used.length > limit) {
    throw decodeFailed(`${source.name}: claims ${used.length} allocation sectors, more than the file can hold`);
  }
  const fat = new Uint32Array(used.length * perSector);
  for (const [i, sector] of used.entries()) fat.set(sectorWords(source, header, sector), i * perSector);
  return fat;
}

function sectorWords(source: ByteSource, header: OleHeader, sector: number): Uint32Array {
  const bytes = source.read((sector + 1) * header.sectorSize, header.sectorSize);
  return new Uint32Array(bytes.buffer, bytes.byteOffset, header.sectorSize / 4);
}

/** Follows a chain of sectors and joins neighbours. `size` bounds it; an open end takes the whole chain. */
function chainRuns(
  source: ByteSource,
  header: OleHeader,
  next: (sector: number) => number | undefined,
  first: number,
  size: number,
): Run[] {
  const { sectorSize } = header;
  const limit = Math.ceil(source.size / sectorSize);
  const runs: Run[] = [];
  let sector = first;
  let total = 0;
  // Brent's turtle: remembers the sector at each power of two, and is met again soon after a chain enters a loop.
  let turtle = -1;
  for (let steps = 0; total < size && sector < SPECIAL; steps++) {
    if (steps > limit || sector === turtle) {
      throw decodeFailed(`${source.name}: a chain of sectors runs in a circle (from sector ${first})`);
    }
    if ((steps & (steps - 1)) === 0) turtle = sector;
    const offset = (sector + 1) * sectorSize;
    // The last sector of a file may be cut short by writers that do not pad.
    const length = Math.min(sectorSize, size - total, source.size - offset);
    if (length <= 0)
      throw decodeFailed(`${source.name}: sector ${sector} lies beyond the end of the file (truncated?)`);
    const last = runs.at(-1);
    if (last && last[0] + last[1] === offset) last[1] += length;
    else runs.push([offset, length]);
    total += length;
    const following = next(sector);
    if (following === undefined) throw decodeFailed(`${source.name}: sector ${sector} is not in the allocation table`);
    sector = following;
  }
  if (Number.isFinite(size) && total < size) {
    throw decodeFailed(
      `${source.name}: a stream of ${size} bytes ends after ${total}; the file is truncated or damaged`,
    );
  }
  return runs;
}

function readAll(source: ByteSource, runs: Run[]): Uint8Array {
  const bytes = new Uint8Array(runs.reduce((sum, [, length]) => sum + length, 0));
  let at = 0;
  for (const [offset, length] of runs) {
    source.readInto(bytes.subarray(at, at + length), offset);
    at += length;
  }
  return bytes;
}

/** Streams below the cutoff live in 64-byte sectors inside the root's own stream. Set up at first use. */
function miniStream(
  source: ByteSource,
  header: OleHeader,
  next: (sector: number) => number | undefined,
  root: { firstSector: number; size: number },
): () => { open(entry: OleEntry): ByteSource } {
  let ready: { open(entry: OleEntry): ByteSource } | undefined;
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
    // In the mini stream, sector 0 starts at byte 0; the common code skips one sector for the file header.
    const shifted = { ...header, sectorSize: header.miniSectorSize };
    const view: ByteSource = {
      name: source.name,
      size: container.size + header.miniSectorSize,
      read: (offset, length) => container.read(offset - header.miniSectorSize, length),
      readInto: (target, offset) => container.readInto(target, offset - header.miniSectorSize),
      close: () => {},
    };
    return {
      open: (entry: OleEntry) => {
        const runs = chainRuns(view, shifted, (sector) => words[sector], entry.firstSector, entry.size);
        return new RunSource(view, entry.path, runs, entry.size);
      },
    };
  }
}

/** A stream as a source: positions map to runs of the file. */
class RunSource implements ByteSource {
  readonly name: string;
  readonly size: number;
  private readonly parent: ByteSource;
  private readonly runs: Run[];
  /** Position in the stream at which each run starts. */
  private readonly starts: number[];

  constructor(parent: ByteSource, path: string, runs: Run[], size: number) {
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
      const [start, length] = this.runs[i] as Run;
      const skip = offset + done - (this.starts[i] as number);
      const n = Math.min(length - skip, target.length - done);
      this.parent.readInto(target.subarray(done, done + n), start + skip);
      done += n;
    }
  }

  close(): void {}

  /** Index of the run that holds a position. */
  private runAt(offset: number): number {
    let low = 0;
    let high = this.starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.starts[middle] as number) <= offset) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}
