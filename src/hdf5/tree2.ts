/** B-trees of version 2 (specification III.A.2): records in order, in leaves and between them. */
import { decodeFailed } from '../errors.js';
import { LIMITS } from '../io/limits.js';
import { type Container, checkSum } from './container.js';
import { Cursor } from './cursor.js';

/** Signature, version, type and checksum of a node. */
const NODE_OVERHEAD = 10;

interface Tree {
  file: Container;
  nodeSize: number;
  recordSize: number;
  /** Bytes of the count of records of a child, and of the count of all below it, by depth. */
  countBytes: number;
  totalBytes: number[];
  seen: Set<number>;
  records: Cursor[];
}

/** A cursor over each record. @param types record types of which the tree must be one */
export function treeRecords(file: Container, address: number, types: readonly number[]): Cursor[] {
  const header = file
    .cursor(address, 22 + file.offsetSize + file.lengthSize)
    .expect('BTHD')
    .skip(1);
  checkSum(header.bytes, file.where(address));
  const type = header.u8();
  const nodeSize = header.u32();
  const recordSize = header.u16();
  const depth = header.u16();
  header.skip(2);
  const root = header.address();
  const rootRecords = header.u16();
  const sound = types.includes(type) && recordSize >= 1 && nodeSize >= NODE_OVERHEAD + recordSize && depth <= 32;
  if (!sound) throw decodeFailed(`${file.where(address)} is a damaged index`);
  if (root === undefined) return [];
  const tree: Tree = {
    file,
    nodeSize,
    recordSize,
    ...countWidths(file, nodeSize, recordSize, depth),
    seen: new Set(),
    records: [],
  };
  collect(tree, root, rootRecords, depth);
  return tree.records;
}

function countWidths(file: Container, nodeSize: number, recordSize: number, depth: number) {
  let most = Math.floor((nodeSize - NODE_OVERHEAD) / recordSize);
  const countBytes = bytesFor(most);
  const totalBytes = [0];
  let below = most;
  for (let level = 1; level <= depth; level++) {
    const pointer = file.offsetSize + countBytes + (totalBytes[level - 1] as number);
    most = Math.floor((nodeSize - NODE_OVERHEAD - pointer) / (recordSize + pointer));
    below = (most + 1) * below + most;
    totalBytes.push(bytesFor(below));
  }
  return { countBytes, totalBytes };
}

function collect(tree: Tree, address: number, count: number, depth: number): void {
  const { file, recordSize } = tree;
  if (tree.seen.has(address)) throw decodeFailed(`${file.where(address)} is part of an index twice; it is damaged`);
  tree.seen.add(address);
  if (tree.records.length + count > LIMITS.hdf5Chunks) {
    throw decodeFailed(`${file.where(address)} belongs to an index larger than any real one`);
  }
  const node = file
    .cursor(address, tree.nodeSize)
    .expect(depth === 0 ? 'BTLF' : 'BTIN')
    .skip(2);
  const records = Array.from({ length: count }, () => new Cursor(node.take(recordSize), file, file.where(address)));
  if (depth === 0) {
    checkNode(node, file.where(address));
    for (const record of records) tree.records.push(record);
    return;
  }
  const children = Array.from({ length: count + 1 }, () => {
    const pointer = { child: node.address(), childRecords: node.uint(tree.countBytes) };
    node.skip(tree.totalBytes[depth - 1] as number);
    return pointer;
  });
  checkNode(node, file.where(address));
  for (const [i, { child, childRecords }] of children.entries()) {
    if (child === undefined) throw decodeFailed(`${file.where(address)} is a damaged index`);
    collect(tree, child, childRecords, depth - 1);
    const own = records[i];
    if (own) tree.records.push(own);
  }
}

/** The checksum follows what is used of a node. */
function checkNode(node: Cursor, where: string): void {
  const end = node.skip(4).at;
  checkSum(node.bytes.subarray(0, end), where);
}

/** Bytes that hold every number up to `limit`. */
export function bytesFor(limit: number): number {
  return Math.min(8, Math.floor(Math.log2(Math.max(1, limit)) / 8) + 1);
}
