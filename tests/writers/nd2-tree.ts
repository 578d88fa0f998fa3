/** Named trees as ND2 files hold them, in the binary (version 3) and the XML encoding (version 2). */
import { deflateSync } from 'node:zlib';

export type Nd2Node =
  | { type: 'bool'; name: string; value: boolean }
  | { type: 'i32' | 'u32' | 'i64' | 'u64' | 'f64'; name: string; value: number }
  | { type: 'text'; name: string; value: string }
  | { type: 'bytes'; name: string; value: Uint8Array }
  | { type: 'level'; name: string; children: Nd2Node[] };

export const bool = (name: string, value: boolean): Nd2Node => ({ type: 'bool', name, value });
export const i32 = (name: string, value: number): Nd2Node => ({ type: 'i32', name, value });
export const u32 = (name: string, value: number): Nd2Node => ({ type: 'u32', name, value });
export const u64 = (name: string, value: number): Nd2Node => ({ type: 'u64', name, value });
export const f64 = (name: string, value: number): Nd2Node => ({ type: 'f64', name, value });
export const text = (name: string, value: string): Nd2Node => ({ type: 'text', name, value });
export const bytes = (name: string, value: Uint8Array): Nd2Node => ({ type: 'bytes', name, value });
export const level = (name: string, children: Nd2Node[]): Nd2Node => ({ type: 'level', name, children });
/** Items of a list have no names. */
export const list = (name: string, items: Nd2Node[]): Nd2Node => level(name, items);

const TYPES = { bool: 1, i32: 2, u32: 3, i64: 4, u64: 5, f64: 6, text: 8, bytes: 9, level: 11 } as const;

/** type, units of the name with its end, name in UTF-16, value. */
export function encodeLv(node: Nd2Node): Uint8Array {
  const name = node.name === '' ? Buffer.alloc(0) : Buffer.from(`${node.name}\0`, 'utf16le');
  const head = Buffer.concat([Buffer.from([TYPES[node.type], name.length / 2]), name]);
  if (node.type !== 'level') return Buffer.concat([head, scalar(node)]);
  const children = node.children.map(encodeLv);
  const offsets: { name: string; at: number }[] = [];
  let at = head.length + 12;
  for (const [i, child] of children.entries()) {
    offsets.push({ name: (node.children[i] as Nd2Node).name, at });
    at += child.length;
  }
  const size = Buffer.alloc(12);
  size.writeUInt32LE(children.length, 0);
  size.writeBigUInt64LE(BigInt(at), 4);
  // The table behind the children is sorted by name and not part of the length.
  offsets.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
  const table = Buffer.from(new BigUint64Array(offsets.map((entry) => BigInt(entry.at))).buffer);
  return Buffer.concat([head, size, ...children, table]);
}

function scalar(node: Exclude<Nd2Node, { type: 'level' }>): Buffer {
  const out = Buffer.alloc(8);
  switch (node.type) {
    case 'bool':
      return Buffer.from([node.value ? 116 : 0]);
    case 'i32':
      out.writeInt32LE(node.value);
      return out.subarray(0, 4);
    case 'u32':
      out.writeUInt32LE(node.value);
      return out.subarray(0, 4);
    case 'i64':
      out.writeBigInt64LE(BigInt(node.value));
      return out;
    case 'u64':
      out.writeBigUInt64LE(BigInt(node.value));
      return out;
    case 'f64':
      out.writeDoubleLE(node.value);
      return out;
    case 'text':
      return Buffer.from(`${node.value}\0`, 'utf16le');
    case 'bytes':
      out.writeBigUInt64LE(BigInt(node.value.length));
      return Buffer.concat([out, node.value]);
  }
}

/** The whole tree as one zlib stream behind 12 bytes. */
export function encodeCompressedLv(node: Nd2Node): Uint8Array {
  return Buffer.concat([Buffer.from([76, 0]), Buffer.alloc(10), deflateSync(encodeLv(node))]);
}

const RUNTYPES = {
  bool: 'bool',
  i32: 'lx_int32',
  u32: 'lx_uint32',
  i64: 'lx_int64',
  u64: 'lx_uint64',
  f64: 'double',
  text: 'CLxStringW',
  bytes: 'CLxByteArray',
} as const;

export function encodeXml(node: Nd2Node): Uint8Array {
  const children = node.type === 'level' ? node.children : [node];
  return Buffer.from(
    `<?xml version="1.0" encoding="UTF-8"?><variant version="1.0"><no_name runtype="CLxListVariant">${children
      .map(element)
      .join('')}</no_name></variant>`,
  );
}

function element(node: Nd2Node, index: number): string {
  const tag = node.name === '' ? `i${String(index).padStart(10, '0')}` : node.name;
  if (node.type === 'level') {
    return `<${tag} runtype="CLxListVariant">${node.children.map(element).join('')}</${tag}>`;
  }
  const value = node.type === 'bytes' ? '' : String(node.value);
  const escaped = value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
  return `<${tag} runtype="${RUNTYPES[node.type]}" value="${escaped}"/>`;
}
