/** Cuts large blocks of text, such as pixels in base64, out of XML, so that they need not be held in memory. */
import { concat, indexOfBytes, latin1, toLatin1, toUtf8 } from '../base/bytes.js';
import { decodeFailed } from '../base/errors.js';
import { LIMITS } from '../base/limits.js';
import { grouped } from '../base/wording.js';
import { type ByteSource, MemorySource } from './byte-source.js';
import { decodeText, isUtf16Xml } from './text.js';

/** The content of one element. */
export interface XmlBlock {
  offset: number;
  length: number;
}

export interface CutXml {
  /** The document without the content of the elements. Each has its number in the attribute `BLOCK_NUMBER`. */
  text: string;
  blocks: XmlBlock[];
  /** Contains the blocks: the document itself, or its text when that is in UTF-16. */
  source: ByteSource;
}

/** Attribute that a cut element has in the text: the index of its block. */
export const BLOCK_NUMBER = 'acqBlock';

const WINDOW_BYTES = 2 ** 20;
/** Longest start tag of an element that is cut. */
const MAX_TAG_BYTES = 65_536;

/**
 * Reads a document once. Where an element says the length of its content, and the end tag is there, the content is not read.
 * @param name local name of the elements, whose content is text
 * @throws AcqError `decode_failed` if what is left, or the number of blocks, exceeds a limit
 */
export function cutXmlBlocks(document: ByteSource, name: string): CutXml {
  const source = toBytes(document);
  const window = new SlidingWindow(source);
  const isStart = new RegExp(`^<(?:[\\w.-]+:)?${name}(?=[\\s/>])`);
  const kept = new KeptText(window);
  const blocks: XmlBlock[] = [];
  let keptFrom = 0;
  for (let at = nextTag(window, 0); at >= 0; ) {
    if (!isStart.test(window.text(at, 80))) {
      at = nextTag(window, at + 1);
      continue;
    }
    const end = window.indexOf('>', at);
    if (end < 0 || end - at > MAX_TAG_BYTES) break;
    if (blocks.length >= LIMITS.planes) throw decodeFailed(`has more than ${grouped(LIMITS.planes)} ${name} elements`);
    const tag = window.text(at, end - at);
    const isEmpty = tag.endsWith('/');
    kept.add(keptFrom, isEmpty ? end - 1 : end, ` ${BLOCK_NUMBER}="${blocks.length}"`);
    const length = isEmpty ? 0 : contentLength(window, end + 1, tag, name);
    blocks.push({ offset: end + 1, length });
    keptFrom = isEmpty ? end - 1 : end;
    kept.add(keptFrom, end + 1, '');
    keptFrom = end + 1 + length;
    at = nextTag(window, keptFrom);
  }
  kept.add(keptFrom, source.size, '');
  return { text: kept.text(), blocks, source };
}

/**
 * Returns the first of these elements that a document contains, by its local name; `undefined` if it has none of them.
 * @param after elements before the first one with this name do not count
 */
export function firstXmlElement(document: ByteSource, names: readonly string[], after?: string): string | undefined {
  const window = new SlidingWindow(toBytes(document));
  const isStart = new RegExp(`^<(?:[\\w.-]+:)?(${[...names, ...(after ? [after] : [])].join('|')})(?=[\\s/>])`);
  const end = Math.min(window.size, LIMITS.metadataBytes);
  let counts = after === undefined;
  for (let at = nextTag(window, 0); at >= 0 && at < end; at = nextTag(window, at + 1)) {
    const name = isStart.exec(window.text(at, 80))?.[1];
    if (name === undefined) continue;
    if (counts && names.includes(name)) return name;
    counts ||= name === after;
  }
  return undefined;
}

/** Bytes in which tags are ASCII. */
function toBytes(source: ByteSource): ByteSource {
  if (source.size < 4 || !isUtf16Xml(source.read(0, 4))) return source;
  if (source.size > LIMITS.metadataBytes)
    throw decodeFailed(
      `has ${grouped(source.size)} bytes of XML in UTF-16; the limit is ${grouped(LIMITS.metadataBytes)}`,
    );
  return new MemorySource(source.name, toUtf8(decodeText(source.read(0, source.size))));
}

/** Returns the position of the next tag, after comments and CDATA, or −1. */
function nextTag(window: SlidingWindow, from: number): number {
  let at = window.indexOf('<', from);
  while (at >= 0) {
    const start = window.text(at, 9);
    const end = start.startsWith('<!--') ? '-->' : start === '<![CDATA[' ? ']]>' : '';
    if (end === '') return at;
    const closed = window.indexOf(end, at + 4);
    at = closed < 0 ? -1 : window.indexOf('<', closed);
  }
  return -1;
}

/** Returns the bytes up to the end tag: those that the element says if the end tag follows them. */
function contentLength(window: SlidingWindow, start: number, tag: string, name: string): number {
  const said = Number(/\sLength\s*=\s*["'](\d{1,15})["']/.exec(tag)?.[1] ?? Number.NaN);
  if (said > WINDOW_BYTES / 4 && start + said < window.size) {
    const next = window.text(start + said, 120).trimStart();
    if (new RegExp(`^</(?:[\\w.-]+:)?${name}\\s*>`).test(next)) return said;
  }
  const end = window.indexOf('<', start);
  return (end < 0 ? window.size : end) - start;
}

/** Parts of the document that are kept. */
class KeptText {
  private readonly window: SlidingWindow;
  private readonly parts: Uint8Array[] = [];
  private bytes = 0;

  constructor(window: SlidingWindow) {
    this.window = window;
  }

  /** Adds the bytes `from` … `to` − 1, and a text. */
  add(from: number, to: number, text: string): void {
    this.bytes += to - from + text.length;
    if (this.bytes > LIMITS.metadataBytes)
      throw decodeFailed(`has more than ${grouped(LIMITS.metadataBytes)} bytes of XML beside its pixels`);
    if (to > from) this.parts.push(this.window.copy(from, to));
    if (text !== '') this.parts.push(toUtf8(text));
  }

  text(): string {
    return decodeText(concat(this.parts));
  }
}

/** A part of the source, which moves forward. */
class SlidingWindow {
  readonly size: number;
  readonly name: string;
  private readonly source: ByteSource;
  private start = 0;
  private bytes: Uint8Array = new Uint8Array();

  constructor(source: ByteSource) {
    this.source = source;
    this.size = source.size;
    this.name = source.name;
  }

  /** Returns the position of an ASCII text, or −1. */
  indexOf(text: string, from: number): number {
    const pattern = toLatin1(text);
    for (let at = from; at < this.size; ) {
      this.cover(at, text.length);
      const found = indexOfBytes(this.bytes, pattern, at - this.start);
      if (found >= 0) return this.start + found;
      at = Math.max(at + 1, this.start + this.bytes.length - text.length + 1);
    }
    return -1;
  }

  /** Returns at most `length` bytes as characters. */
  text(at: number, length: number): string {
    const count = Math.max(0, Math.min(length, this.size - at));
    this.cover(at, count);
    return latin1(this.bytes.subarray(at - this.start, at - this.start + count));
  }

  copy(from: number, to: number): Uint8Array {
    const isInside = from >= this.start && to <= this.start + this.bytes.length;
    return isInside ? this.bytes.slice(from - this.start, to - this.start) : this.source.read(from, to - from);
  }

  private cover(at: number, length: number): void {
    const end = Math.min(this.size, at + length);
    if (at >= this.start && end <= this.start + this.bytes.length) return;
    const count = Math.min(this.size - at, Math.max(WINDOW_BYTES, length));
    this.bytes = this.source.read(at, count);
    this.start = at;
  }
}
