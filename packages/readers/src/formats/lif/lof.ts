/** Reads a LOF file: one image, with the pixels first and the XML after them. */
import { AcqError, decodeFailed } from '../../base/errors.js';
import { grouped } from '../../base/wording.js';
import type { ByteSource } from '../../io/byte-source.js';
import { readTextBlock, readUint64, toView } from './blocks.js';

const LABEL = 'LMS_Object_File';
/** 0x2A and the major version, 0x2A and the minor version, 0x2A and the number of bytes of pixels. */
const VERSION_BYTES = 5 + 5 + 9;

export interface LofFile {
  pixels: { offset: number; size: number };
  /** Empty when it cannot be read. */
  xml: string;
  /** Why the XML cannot be read. */
  problem?: AcqError;
}

/** @throws AcqError `decode_failed` */
export function readLof(source: ByteSource): LofFile {
  const label = readTextBlock(source, 0);
  if (label.text !== LABEL) throw decodeFailed('is not a LOF file');
  const view = toView(source.read(label.end, VERSION_BYTES));
  if ([0, 5, 10].some((at) => view.getUint8(at) !== 0x2a)) {
    throw decodeFailed(`the header is corrupted at byte ${grouped(label.end)}`);
  }
  const size = readUint64(view, 11);
  const offset = label.end + VERSION_BYTES;
  const end = offset + size;
  if (!Number.isSafeInteger(end)) {
    throw decodeFailed(`the header is corrupted: it says ${grouped(size)} bytes of pixels`);
  }
  try {
    return { pixels: { offset, size }, xml: readTextBlock(source, end).text };
  } catch (error) {
    if (!(error instanceof AcqError)) throw error;
    return { pixels: { offset, size }, xml: '', problem: error };
  }
}
