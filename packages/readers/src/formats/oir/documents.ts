/**
 * Finds XML documents inside document and frame blocks by their declaration, because the items around them vary by
 * product.
 */
import type { ByteSource } from '../../io/byte-source.js';
import { decodeText } from '../../io/text.js';
import { parseXml, type XmlDocument } from '../../io/xml.js';
import { payloadLength } from './blocks.js';
import { BLOCK_HEADER_BYTES, toView } from './parse.js';
import type { RawOirFile } from './scan.js';

export interface RawOirDocument {
  /** Local name of the root element. */
  root: string;
  text: string;
  /** Id of the channel that a look-up table belongs to. */
  channel?: string;
}

/** Bytes at the start of a document that are searched for its root element. */
const ROOT_SEARCH = 4096;
/** Documents that are read; overlays, for example, are not. */
const KNOWN_ROOTS = new Set(['imageProperties', 'imageDefinition', 'frameProperties', 'lsmChannel', 'LUT']);
/** Characters of a channel id. Their number, the id and the length of the table come before a look-up table. */
const ID_BYTES = 36;
const DECLARATION = [0x3c, 0x3f, 0x78, 0x6d, 0x6c] as const; // <?xml
const END_MARK = 0x3e; // >

/** Reads the known documents of one block; none when the block has more than `limit` bytes. */
export function readDocuments(raw: RawOirFile, block: number, limit: number): RawOirDocument[] {
  return findDocuments(readBlock(raw, block, limit));
}

/** Like `readDocuments`, but reads every document except look-up tables. */
export function readAllDocuments(raw: RawOirFile, block: number, limit: number): RawOirDocument[] {
  return findDocuments(readBlock(raw, block, limit), (root) => root !== 'LUT');
}

function readBlock(raw: RawOirFile, block: number, limit: number): Uint8Array {
  const length = payloadLength(raw.table, block);
  if (block < 0 || block >= raw.table.count || length <= 0 || length > limit) return new Uint8Array();
  return readPayload(raw.source, raw.table.offsets[block]!, length);
}

function readPayload(source: ByteSource, offset: number, length: number): Uint8Array {
  return source.read(offset + BLOCK_HEADER_BYTES, Math.min(length, source.size - offset - BLOCK_HEADER_BYTES));
}

/** Finds documents in the payload of a block by their root elements; the known ones without `isWanted`. */
export function findDocuments(
  payload: Uint8Array,
  isWanted = (root: string) => KNOWN_ROOTS.has(root),
): RawOirDocument[] {
  const documents: RawOirDocument[] = [];
  let at = nextDeclaration(payload, 0);
  while (at >= 0) {
    const end = documentEnd(payload, at);
    const root = rootName(payload.subarray(at, Math.min(end, at + ROOT_SEARCH)));
    if (isWanted(root)) {
      const channel = root === 'LUT' ? findChannelId(payload, at) : undefined;
      documents.push({ root, text: decodeText(payload.subarray(at, end)), ...(channel ? { channel } : {}) });
    }
    at = nextDeclaration(payload, end);
  }
  return documents;
}

/** Returns the channel id before a look-up table. */
function findChannelId(payload: Uint8Array, at: number): string | undefined {
  const start = at - 4 - ID_BYTES;
  if (start < 4 || toView(payload).getUint32(start - 4, true) !== ID_BYTES) return undefined;
  return decodeText(payload.subarray(start, start + ID_BYTES));
}

/** Returns the end of a document by the length in the four bytes before it; when that is invalid, its last `>`. */
function documentEnd(payload: Uint8Array, at: number): number {
  const stated = at >= 4 ? toView(payload).getUint32(at - 4, true) : 0;
  if (stated > DECLARATION.length && at + stated <= payload.length) return at + stated;
  const next = nextDeclaration(payload, at + DECLARATION.length);
  const limit = next < 0 ? payload.length : next;
  const close = payload.subarray(at, limit).lastIndexOf(END_MARK);
  return close > 0 ? at + close + 1 : limit;
}

function nextDeclaration(payload: Uint8Array, from: number): number {
  for (let at = payload.indexOf(DECLARATION[0], from); at >= 0; at = payload.indexOf(DECLARATION[0], at + 1)) {
    if (DECLARATION.every((byte, i) => payload[at + i] === byte)) return at;
  }
  return -1;
}

function rootName(start: Uint8Array): string {
  const text = new TextDecoder('latin1').decode(start);
  return /<(?:[\w.-]+:)?([A-Za-z_][\w.-]*)/.exec(text)?.[1] ?? '';
}

/** Parses a document. `root` is `undefined` when nothing can be read; `complete` is false when it ends early. */
export function parseDocument(document: RawOirDocument): Pick<XmlDocument, 'root' | 'complete'> {
  return parseXml(document.text.trim());
}
