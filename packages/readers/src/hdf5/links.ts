/** Reads the links of a group, in their old and new form (specification IV.A.2, messages 2, 6 and 17). */
import { decodeFailed } from '../base/errors.js';
import { LIMITS } from '../base/limits.js';
import { grouped } from '../base/wording.js';
import type { Container } from './container.js';
import { Cursor, decodeName } from './cursor.js';
import { MESSAGE, type Message } from './header.js';
import { FractalHeap, readLocalHeap } from './heaps.js';
import { treeRecords } from './tree2.js';

export type Link =
  | { kind: 'hard'; address: number }
  /** A path in this file. */
  | { kind: 'soft'; path: string }
  /** A path in another file, which is never opened. */
  | { kind: 'external'; file: string; path: string }
  | { kind: 'unknown' };

export type Links = Map<string, Link>;

export function readLinks(file: Container, messages: readonly Message[]): Links {
  const links: Links = new Map();
  for (const { type, body } of messages) {
    if (type === MESSAGE.link) addLink(file, links, body);
    if (type === MESSAGE.linkInfo) readDense(file, links, body);
    if (type === MESSAGE.symbolTable) readSymbols(file, links, body);
  }
  return links;
}

function put(file: Container, links: Links, name: string, link: Link): void {
  if (links.size >= LIMITS.hdf5Links) {
    throw decodeFailed(`a group has more than ${grouped(LIMITS.hdf5Links)} members; the file is corrupted`);
  }
  if (links.has(name)) return;
  const target = link.kind === 'soft' ? link.path : link.kind === 'external' ? link.file + link.path : '';
  file.spendText(name.length + target.length);
  links.set(name, link);
}

function addLink(file: Container, links: Links, body: Uint8Array): void {
  const cursor = new Cursor(body, file, 'a link');
  cursor.skip(1);
  const flags = cursor.u8();
  const kind = flags & 8 ? cursor.u8() : 0;
  if (flags & 4) cursor.skip(8);
  if (flags & 16) cursor.skip(1);
  const name = decodeName(cursor.take(cursor.uint(1 << (flags & 3))));
  put(file, links, name, parseTarget(cursor, kind));
}

function parseTarget(cursor: Cursor, kind: number): Link {
  if (kind === 0) {
    const address = cursor.address();
    if (address === undefined) throw decodeFailed('contains a broken link; the file is corrupted');
    return { kind: 'hard', address };
  }
  if (kind === 1) return { kind: 'soft', path: decodeName(cursor.take(cursor.u16())) };
  if (kind !== 64) return { kind: 'unknown' };
  cursor.skip(3);
  return { kind: 'external', file: cursor.nulTerminated(), path: cursor.nulTerminated() };
}

function readDense(file: Container, links: Links, body: Uint8Array): void {
  const cursor = new Cursor(body, file, 'links of a group').skip(1);
  if (cursor.u8() & 1) cursor.skip(8);
  const heapAddress = cursor.address();
  const index = cursor.address();
  if (heapAddress === undefined || index === undefined) return;
  const heap = new FractalHeap(file, heapAddress);
  // Records of the name index: a hash, then the id in the heap.
  for (const record of treeRecords(file, index, [5]))
    addLink(file, links, heap.object(record.skip(4).take(heap.idLength)));
}

function readSymbols(file: Container, links: Links, body: Uint8Array): void {
  const cursor = new Cursor(body, file, 'the table of a group');
  const root = cursor.address();
  const heap = cursor.address();
  if (root === undefined || heap === undefined) return;
  const names = readLocalHeap(file, heap);
  for (const table of findSymbolTables(file, root)) readSymbolTable(file, links, table, names);
}

/** Returns the addresses of the symbol tables in a B-tree of version 1 (specification III.A.1). */
function findSymbolTables(file: Container, root: number): number[] {
  const tables: number[] = [];
  const seen = new Set<number>();
  const walk = (address: number, expected: number | undefined): void => {
    if (seen.has(address))
      throw decodeFailed(`${file.where(address)} is listed twice in a group; the file is corrupted`);
    seen.add(address);
    const head = file.cursor(address, 8).expect('TREE');
    const type = head.u8();
    const level = head.u8();
    const entries = head.u16();
    if (type !== 0 || (expected !== undefined && level !== expected)) {
      throw decodeFailed(`${file.where(address)} is not a group index; the file is corrupted`);
    }
    const cursor = file.cursor(address, 8 + 2 * file.offsetSize + entries * (file.offsetSize + file.lengthSize));
    cursor.skip(8 + 2 * file.offsetSize);
    for (let i = 0; i < entries; i++) {
      cursor.length();
      const child = cursor.address();
      if (child === undefined) throw decodeFailed(`${file.where(address)} is not a valid index; the file is corrupted`);
      if (level > 0) walk(child, level - 1);
      else tables.push(child);
      if (tables.length > LIMITS.hdf5Links) {
        throw decodeFailed(`a group has more than ${grouped(LIMITS.hdf5Links)} symbol tables; the file is corrupted`);
      }
    }
  };
  walk(root, undefined);
  return tables;
}

function readSymbolTable(file: Container, links: Links, address: number, names: Uint8Array): void {
  const symbols = file.cursor(address, 8).expect('SNOD').skip(2).u16();
  const cursor = file.cursor(address, 8 + symbols * (2 * file.offsetSize + 24)).skip(8);
  const nameAt = (at: number) => {
    if (at >= names.length)
      throw decodeFailed(`${file.where(address)} refers to a missing name; the file is corrupted`);
    return decodeName(names.subarray(at));
  };
  for (let i = 0; i < symbols; i++) {
    const name = nameAt(cursor.uint(file.offsetSize));
    const header = cursor.address();
    const isSoft = cursor.u32() === 2;
    const scratch = new Cursor(cursor.skip(4).take(16), file, file.where(address));
    if (isSoft) put(file, links, name, { kind: 'soft', path: nameAt(scratch.u32()) });
    else if (header !== undefined) put(file, links, name, { kind: 'hard', address: header });
  }
}
