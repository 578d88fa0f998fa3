/** Parses the headers and footers of an OBF file, after the description of the format by Abberior. */

import { latin1 } from '../../base/bytes.js';
import { AcqError, decodeFailed } from '../../base/errors.js';
import { LIMITS } from '../../base/limits.js';
import { Notes } from '../../base/notes.js';
import { quoteError } from '../../base/subject.js';
import { grouped } from '../../base/wording.js';
import type { ByteSource } from '../../io/byte-source.js';
import { decodeText } from '../../io/text.js';
import { positionOf, type TextPlace, viewOf } from './bytes.js';
import { type RawFooter, readFooter } from './footer.js';

/** Dimensions that every header has room for. */
const MAX_RANK = 15;
const STACK_MAGIC = 'OMAS_BF_STACK\n\xff\xff';
const STACK_BYTES = 368;
/** Characters of a name. */
const MAX_NAME = 4_096;

export interface RawObf {
  stacks: RawStack[];
  /** Where the description of the file is, and how long it is. */
  description: TextPlace;
  /** What ended the list of stacks before its end. */
  notes: Notes;
}

export interface RawStack {
  version: number;
  name: string;
  /** The fastest dimension first. */
  sizes: number[];
  /** Whole length along each dimension, in its unit, or in meters. */
  lengths: number[];
  /** `1` u8, `2` i8, `4` u16, …; complex numbers have 2³⁰ added. */
  type: number;
  /** 0 none, 1 zlib. */
  compression: number;
  description: TextPlace;
  dataAt: number;
  dataBytes: number;
  /** Absent when the file ends before it, or it cannot be read. */
  footer?: RawFooter;
}

/** @throws AcqError `decode_failed` when the first stack cannot be read */
export function parseObf(source: ByteSource): RawObf {
  const view = viewOf(source.read(0, 26));
  const descriptionBytes = view.getUint32(22, true);
  const stacks: RawStack[] = [];
  const notes = new Notes();
  /** Bytes that the texts and positions of footers may take together: stacks could share them. */
  const budget = { left: Math.max(2 ** 20, 2 * source.size) };
  for (let at = positionOf(view, 14); at > 0; ) {
    try {
      const { stack, next } = parseStack(source, at);
      const footer = readFooter(source, stack, budget);
      if (footer) stack.footer = footer;
      stacks.push(stack);
      if (next !== 0 && next <= at) throw decodeFailed(`the stack after ${stack.name} is in front of it`);
      if (stacks.length >= LIMITS.scenes) throw decodeFailed(`the limit is ${grouped(LIMITS.scenes)} stacks`);
      at = next;
    } catch (error) {
      if (!(error instanceof AcqError) || stacks.length === 0) throw error;
      notes.add(quoteError(`Stacks after the first ${grouped(stacks.length)} cannot be read`, error));
      break;
    }
  }
  if (stacks.length === 0) throw decodeFailed('contains no stack');
  return { stacks, description: { at: 26, bytes: descriptionBytes }, notes };
}

function parseStack(source: ByteSource, at: number): { stack: RawStack; next: number } {
  const bytes = source.read(at, STACK_BYTES);
  if (latin1(bytes.subarray(0, 16)) !== STACK_MAGIC) {
    throw decodeFailed(`there is no stack at ${grouped(at)}; the file is corrupted`);
  }
  const view = viewOf(bytes);
  const rank = view.getUint32(20, true);
  if (rank < 1 || rank > MAX_RANK) throw decodeFailed(`a stack has ${grouped(rank)} dimensions; the file is corrupted`);
  const each = <T>(read: (dimension: number) => T): T[] => Array.from({ length: rank }, (_, k) => read(k));
  const nameBytes = view.getUint32(336, true);
  const descriptionBytes = view.getUint32(340, true);
  const nameAt = at + STACK_BYTES;
  const stack: RawStack = {
    version: view.getUint32(16, true),
    name: decodeText(source.read(nameAt, Math.min(nameBytes, MAX_NAME))),
    sizes: each((k) => view.getUint32(24 + 4 * k, true)),
    lengths: each((k) => view.getFloat64(84 + 8 * k, true)),
    type: view.getUint32(324, true),
    compression: view.getUint32(328, true),
    description: { at: nameAt + nameBytes, bytes: descriptionBytes },
    dataAt: nameAt + nameBytes + descriptionBytes,
    dataBytes: positionOf(view, 352),
  };
  return { stack, next: positionOf(view, 360) };
}
