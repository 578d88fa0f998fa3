/** LOF: one image in a file of its own. The pixels come first, the XML behind them. */
import { decodeFailed } from '../../errors.js';
import type { ByteSource } from '../../io/byte-source.js';
import { readTextBlock, uint64, viewOf } from './blocks.js';

const LABEL = 'LMS_Object_File';
/** 0x2A and the major version, 0x2A and the minor version, 0x2A and the bytes of the pixels. */
const VERSION_BYTES = 5 + 5 + 9;

export interface LofFile {
  pixels: { offset: number; size: number };
  /** Empty when the file ends before it. */
  xml: string;
  /** Why there is no XML. */
  problem: string;
}

/** @throws AcqError `decode_failed` */
export function readLof(source: ByteSource): LofFile {
  const label = readTextBlock(source, 0);
  if (label.text !== LABEL) throw decodeFailed(`${source.name}: does not start like a LOF file`);
  const view = viewOf(source.read(label.end, VERSION_BYTES));
  if ([0, 5, 10].some((at) => view.getUint8(at) !== 0x2a)) {
    throw decodeFailed(`${source.name}: its header is damaged at offset ${label.end}`);
  }
  const size = uint64(view, 11);
  const offset = label.end + VERSION_BYTES;
  const end = offset + size;
  if (!Number.isSafeInteger(end)) throw decodeFailed(`${source.name}: claims ${size} bytes of pixels`);
  try {
    return { pixels: { offset, size }, xml: readTextBlock(source, end).text, problem: '' };
  } catch (error) {
    return { pixels: { offset, size }, xml: '', problem: (error as Error).message };
  }
}
