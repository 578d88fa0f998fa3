/** Reads B-trees of version 2 (specification III.A.2), which have records in leaves and in inner nodes. */
import { decodeFailed } from '../base/errors.js';
import { LIMITS } from '../base/limits.js';
import { grouped } from '../base/wording.js';
import { type Container, checkSum } from './container.js';
import { Cursor } from './cursor.js';

/** Signature, version, type and checksum of a node. */
const NODE_OVERHEAD = 10;

interface Tree {
  file: Container;
  nodeSize: number;
  recordSize: number;
  /** Bytes of a child's record count, and of the record count of its subtree, by depth. */
  countBytes: number;
  totalBytes: number[];
  seen: Set<number>;
  records: Cursor[];
}

/** Returns a cursor over each record. @param types accepted record types */
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
  if (!sound) throw decodeFailed(`${file.where(address)} is not a valid index; the file is corrupted`);
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
  let maxRecords = Math.floor((nodeSize - NODE_OVERHEAD) / recordSize);
  const countBytes = bytesFor(maxRecords);
  const totalBytes = [0];
  let below = maxRecords;
  for (let level = 1; level <= depth; level++) {
    const pointer = file.offsetSize + countBytes + totalBytes[level - 1]!;
    maxRecords = Math.floor((nodeSize - NODE_OVERHEAD - pointer) / (recordSize + pointer));
    below = (maxRecords + 1) * below + maxRecords;
    totalBytes.push(bytesFor(below));
  }
  return { countBytes, totalBytes };
}

function collect(tree: Tree, address: number, count: number, depth: number): void {
  const { file, recordSize } = tree;
  if (tree.seen.has(address))
    throw decodeFailed(`${file.where(address)} is listed twice in an index; the file is corrupted`);
  tree.seen.add(address);
  if (tree.records.length + count > LIMITS.hdf5Chunks) {
    throw decodeFailed(
      `${file.where(address)} belongs to an index with more than ${grouped(LIMITS.hdf5Chunks)} records; the file is corrupted`,
    );
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
    node.skip(tree.totalBytes[depth - 1]!);
    return pointer;
  });
  checkNode(node, file.where(address));
  for (const [i, { child, childRecords }] of children.entries()) {
    if (child === undefined) throw decodeFailed(`${file.where(address)} is not a valid index; the file is corrupted`);
    collect(tree, child, childRecords, depth - 1);
    const record = records[i];
    if (record) tree.records.push(record);
  }
}

/** Verifies a node. The checksum follows the used part. */
function checkNode(node: Cursor, where: string): void {
  const end = node.skip(4).at;
  checkSum(node.bytes.subarray(0, end), where);
}

/** Returns how many bytes can hold every number up to `limit`. */
export function bytesFor(limit: number): number {
  return Math.min(8, Math.floor(Math.log2(Math.max(1, limit)) / 8) + 1);
}
