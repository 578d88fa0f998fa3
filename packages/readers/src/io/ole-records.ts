import { decodeFailed } from '../base/errors.js';
import { LIMITS } from '../base/limits.js';
import { grouped } from '../base/wording.js';
import type { ByteSource } from './byte-source.js';
import { isOle } from './ole-magic.js';

/** Fields of the first 512 bytes of a compound file. */
export interface OleHeader {
  /** 3 has sectors of 512 bytes, 4 of 4,096. */
  version: number;
  sectorSize: number;
  miniSectorSize: number;
  /** Streams smaller than this are stored in the mini stream. */
  miniCutoff: number;
  firstDirectorySector: number;
  firstMiniFatSector: number;
  firstDifatSector: number;
  /** The first 109 sectors of the allocation table. */
  difat: number[];
}

export interface OleEntry {
  path: string;
  firstSector: number;
  size: number;
}

const ENTRY_BYTES = 128;
const NONE = 0xffffffff;

export function parseOleHeader(source: ByteSource): OleHeader {
  const bytes = source.read(0, 512);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  if (!isOle(bytes)) throw decodeFailed('is not a compound file');
  const version = view.getUint16(26, true);
  const shift = view.getUint16(30, true);
  const miniShift = view.getUint16(32, true);
  if ((shift !== 9 && shift !== 12) || miniShift !== 6) {
    throw decodeFailed(`invalid OLE sector sizes: 2^${shift} and 2^${miniShift} bytes`);
  }
  return {
    version,
    sectorSize: 2 ** shift,
    miniSectorSize: 2 ** miniShift,
    miniCutoff: view.getUint32(56, true),
    firstDirectorySector: view.getUint32(48, true),
    firstMiniFatSector: view.getUint32(60, true),
    firstDifatSector: view.getUint32(68, true),
    difat: Array.from({ length: 109 }, (_, i) => view.getUint32(76 + i * 4, true)),
  };
}

interface RawOleEntry {
  name: string;
  type: number;
  left: number;
  right: number;
  child: number;
  firstSector: number;
  size: number;
}

/** Reads the streams of the storage tree. @throws AcqError `decode_failed`, also when an entry is reached twice */
export function parseOleDirectory(
  bytes: Uint8Array,
  version: number,
): { root: RawOleEntry; streams: Map<string, OleEntry> } {
  const count = Math.floor(bytes.length / ENTRY_BYTES);
  if (count > LIMITS.files)
    throw decodeFailed(`the OLE directory lists ${grouped(count)} entries; the limit is ${grouped(LIMITS.files)}`);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const entry = (index: number) => parseEntry(view, index * ENTRY_BYTES, version);
  if (count === 0) throw decodeFailed('the OLE directory is missing; the file is truncated or corrupted');
  const root = entry(0);
  if (root.type !== 5)
    throw decodeFailed('the OLE directory does not start with the root entry; the file is corrupted');
  const streams = new Map<string, OleEntry>();
  const visited = new Set<number>();
  const stack: { index: number; folder: string }[] = [{ index: root.child, folder: '' }];
  for (let top = stack.pop(); top !== undefined; top = stack.pop()) {
    const { index, folder } = top;
    if (index === NONE) continue;
    if (index >= count)
      throw decodeFailed(
        `the OLE directory refers to entry ${index}, but has ${grouped(count)}; the file is corrupted`,
      );
    if (visited.has(index)) throw decodeFailed('the OLE directory contains a loop; the file is corrupted');
    visited.add(index);
    const raw = entry(index);
    const path = folder + raw.name;
    stack.push({ index: raw.right, folder }, { index: raw.left, folder });
    if (raw.type === 1) stack.push({ index: raw.child, folder: `${path}/` });
    if (raw.type === 2) streams.set(path, { path, firstSector: raw.firstSector, size: raw.size });
  }
  return { root, streams };
}

function parseEntry(view: DataView, at: number, version: number): RawOleEntry {
  const nameBytes = Math.min(64, Math.max(2, view.getUint16(at + 64, true))) - 2;
  let name = '';
  for (let i = 0; i + 1 < nameBytes; i += 2) name += String.fromCharCode(view.getUint16(at + i, true));
  // Version 3 writers leave garbage in the high half of the size.
  const high = version >= 4 ? view.getUint32(at + 124, true) : 0;
  return {
    name,
    type: view.getUint8(at + 66),
    left: view.getUint32(at + 68, true),
    right: view.getUint32(at + 72, true),
    child: view.getUint32(at + 76, true),
    firstSector: view.getUint32(at + 116, true),
    size: high * 2 ** 32 + view.getUint32(at + 120, true),
  };
}
