const END = 0xfffffffe;
const FREE = 0xffffffff;
const MINI_CUTOFF = 4096;

/**
 * Writes a compound file: enough of MS-CFB for any set of named streams in storages. Small streams go into the mini stream; large allocation tables get DIFAT sectors.
 */
export function writeOle(
  streams: { path: string; bytes: Uint8Array }[],
  { version = 3 as 3 | 4, junkHighSize = false } = {},
): Uint8Array {
  const sectorSize = version === 4 ? 4096 : 512;
  const entries = directoryOf(streams);
  const body = new Body(sectorSize);
  const mini = placeMini(entries.filter((entry) => entry.bytes && entry.bytes.length < MINI_CUTOFF));
  for (const entry of entries) {
    if (entry.bytes && entry.bytes.length >= MINI_CUTOFF) entry.first = body.place(entry.bytes);
  }
  const root = entries[0] as Entry;
  root.first = body.place(mini.stream);
  root.size = mini.stream.length;
  const miniFat = body.place(words(mini.fat, sectorSize));
  const directory = body.place(directoryBytes(entries, sectorSize, version === 3 && junkHighSize));
  const tables = tableSectors(body.fat, sectorSize);
  const head = header({ version, directory, miniFat, miniCount: mini.fat.length, tables, sectorSize });
  return concat([head, ...body.data, ...tables.bytes]);
}

/** Sectors in the order of placing, and the allocation table that chains them. */
class Body {
  readonly data: Uint8Array[] = [];
  readonly fat: number[] = [];
  private readonly sectorSize: number;

  constructor(sectorSize: number) {
    this.sectorSize = sectorSize;
  }

  place(bytes: Uint8Array): number {
    const sectors = Math.ceil(bytes.length / this.sectorSize);
    if (sectors === 0) return END;
    const first = this.fat.length;
    const padded = new Uint8Array(sectors * this.sectorSize);
    padded.set(bytes);
    this.data.push(padded);
    pushChain(this.fat, first, sectors);
    return first;
  }
}

function pushChain(fat: number[], first: number, sectors: number): void {
  for (let i = 0; i < sectors; i++) fat.push(i + 1 < sectors ? first + i + 1 : END);
}

interface Entry {
  name: string;
  type: 1 | 2 | 5;
  child: number;
  right: number;
  first: number;
  size: number;
  bytes?: Uint8Array;
}

function newEntry(name: string, type: Entry['type'], bytes?: Uint8Array): Entry {
  const entry: Entry = { name, type, child: FREE, right: FREE, first: END, size: bytes?.length ?? 0 };
  if (bytes) entry.bytes = bytes;
  return entry;
}

/** Root, then storages and their streams. Siblings form a chain over `right`: a legal, if unbalanced, tree. */
function directoryOf(streams: { path: string; bytes: Uint8Array }[]): Entry[] {
  const entries = [newEntry('Root Entry', 5)];
  const last = new Map<number, number>();
  const append = (parent: number, item: Entry): number => {
    const index = entries.push(item) - 1;
    const previous = last.get(parent);
    if (previous === undefined) (entries[parent] as Entry).child = index;
    else (entries[previous] as Entry).right = index;
    last.set(parent, index);
    return index;
  };
  const storages = new Map<string, number>();
  for (const { path, bytes } of streams) {
    const parts = path.split('/');
    const name = parts.pop() as string;
    let parent = 0;
    for (const [depth, folder] of parts.entries()) {
      const full = parts.slice(0, depth + 1).join('/');
      parent = storages.get(full) ?? append(parent, newEntry(folder, 1));
      storages.set(full, parent);
    }
    append(parent, newEntry(name, 2, bytes));
  }
  return entries;
}

function placeMini(entries: Entry[]): { stream: Uint8Array; fat: number[] } {
  const parts: Uint8Array[] = [];
  const fat: number[] = [];
  for (const entry of entries) {
    const bytes = entry.bytes as Uint8Array;
    const sectors = Math.ceil(bytes.length / 64);
    if (sectors === 0) continue;
    entry.first = fat.length;
    const padded = new Uint8Array(sectors * 64);
    padded.set(bytes);
    parts.push(padded);
    pushChain(fat, entry.first, sectors);
  }
  return { stream: concat(parts), fat };
}

function directoryBytes(entries: Entry[], sectorSize: number, junk: boolean): Uint8Array {
  const bytes = new Uint8Array(Math.ceil((entries.length * 128) / sectorSize) * sectorSize);
  const view = new DataView(bytes.buffer);
  for (let at = 0; at < bytes.length; at += 128) {
    for (const link of [68, 72, 76]) view.setUint32(at + link, FREE, true);
  }
  for (const [i, entry] of entries.entries()) {
    const at = i * 128;
    for (let k = 0; k < entry.name.length; k++) view.setUint16(at + k * 2, entry.name.charCodeAt(k), true);
    view.setUint16(at + 64, (entry.name.length + 1) * 2, true);
    view.setUint8(at + 66, entry.type);
    view.setUint32(at + 72, entry.right, true);
    view.setUint32(at + 76, entry.child, true);
    view.setUint32(at + 116, entry.first, true);
    view.setUint32(at + 120, entry.size, true);
    if (junk) view.setUint32(at + 124, 0xdeadbeef, true);
  }
  return bytes;
}

interface Tables {
  bytes: Uint8Array[];
  fatSectors: number[];
  difatSectors: number[];
}

/** The allocation table, which also covers itself and the DIFAT sectors that list it beyond 109. */
function tableSectors(fat: number[], sectorSize: number): Tables {
  const per = sectorSize / 4;
  let fatCount = 0;
  let difatCount = 0;
  for (;;) {
    const need = Math.ceil((fat.length + fatCount + difatCount) / per);
    const needDifat = Math.max(0, Math.ceil((need - 109) / (per - 1)));
    if (need === fatCount && needDifat === difatCount) break;
    fatCount = need;
    difatCount = needDifat;
  }
  const fatSectors = Array.from({ length: fatCount }, (_, i) => fat.length + i);
  const difatSectors = Array.from({ length: difatCount }, (_, i) => fat.length + fatCount + i);
  const all = [...fat, ...fatSectors.map(() => 0xfffffffd), ...difatSectors.map(() => 0xfffffffc)];
  const lists = difatSectors.map((_, i) => {
    const part = fatSectors.slice(109 + i * (per - 1), 109 + (i + 1) * (per - 1));
    const padding = new Array<number>(per - 1 - part.length).fill(FREE);
    return words([...part, ...padding, difatSectors[i + 1] ?? END], sectorSize);
  });
  return { bytes: [words(all, sectorSize), ...lists], fatSectors, difatSectors };
}

function header(part: {
  version: number;
  directory: number;
  miniFat: number;
  miniCount: number;
  tables: Tables;
  sectorSize: number;
}): Uint8Array {
  const bytes = new Uint8Array(part.sectorSize);
  const view = new DataView(bytes.buffer);
  bytes.set([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]);
  view.setUint16(24, 0x3e, true);
  view.setUint16(26, part.version, true);
  view.setUint16(28, 0xfffe, true);
  view.setUint16(30, Math.log2(part.sectorSize), true);
  view.setUint16(32, 6, true);
  view.setUint32(44, part.tables.fatSectors.length, true);
  view.setUint32(48, part.directory, true);
  view.setUint32(56, MINI_CUTOFF, true);
  view.setUint32(60, part.miniFat, true);
  view.setUint32(64, Math.ceil((part.miniCount * 4) / part.sectorSize), true);
  view.setUint32(68, part.tables.difatSectors[0] ?? END, true);
  view.setUint32(72, part.tables.difatSectors.length, true);
  for (let i = 0; i < 109; i++) view.setUint32(76 + i * 4, part.tables.fatSectors[i] ?? FREE, true);
  return bytes;
}

function words(values: number[], sectorSize: number): Uint8Array {
  const length = Math.ceil((values.length * 4) / sectorSize) * (sectorSize / 4);
  const out = new Uint32Array(length).fill(FREE);
  out.set(values);
  return new Uint8Array(out.buffer);
}

function concat(parts: Uint8Array[]): Uint8Array {
  const out = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return out;
}
