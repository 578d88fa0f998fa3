import { decodeFailed } from '../base/errors.js';
import { grouped } from '../base/wording.js';

/** The headers of a JPEG stream (ITU-T T.81 annex B). */
export interface JpegFrame {
  /** Number of the SOF marker: 0 baseline, 1 extended, 2 progressive, 3 lossless, … */
  process: number;
  bits: number;
  width: number;
  height: number;
  components: number;
  /** True with a JFIF header: three components are YCbCr. */
  jfif: boolean;
  /** Bytes of the segments that define the color space (JFIF, Adobe). */
  colorSegments: { start: number; end: number }[];
}

const SOF = new Set([0, 1, 2, 3, 5, 6, 7, 9, 10, 11, 13, 14, 15].map((n) => 0xc0 + n));

/**
 * Reads the segments before the first scan.
 * @throws AcqError `decode_failed` without a frame header
 */
export function parseJpeg(data: Uint8Array): JpegFrame {
  if (data[0] !== 0xff || data[1] !== 0xd8) throw decodeFailed('is not a JPEG stream');
  const colorSegments: JpegFrame['colorSegments'] = [];
  let frame: Omit<JpegFrame, 'jfif' | 'colorSegments'> | undefined;
  let jfif = false;
  for (let at = 2; at + 4 <= data.length; ) {
    if (data[at] !== 0xff) throw decodeFailed(`JPEG data are corrupted: expected a marker at byte ${grouped(at)}`);
    const marker = data[at + 1]!;
    // Fill bytes and markers without a length.
    if (marker === 0xff || marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8)) {
      at += marker === 0xff ? 1 : 2;
      continue;
    }
    if (marker === 0xda || marker === 0xd9) break;
    const end = at + 2 + word(data, at + 2);
    if (marker === 0xe0 || marker === 0xee) {
      colorSegments.push({ start: at, end: Math.min(end, data.length) });
      jfif ||= marker === 0xe0 && data[at + 4] === 0x4a && data[at + 5] === 0x46;
    }
    if (SOF.has(marker) && at + 10 <= data.length) frame = frameAt(data, at, marker - 0xc0);
    at = end;
  }
  if (!frame) throw decodeFailed('JPEG data are corrupted or truncated: the frame header is missing');
  return { ...frame, jfif, colorSegments };
}

function frameAt(data: Uint8Array, at: number, process: number) {
  const bits = data[at + 4]!;
  const components = data[at + 9]!;
  return { process, bits, height: word(data, at + 5), width: word(data, at + 7), components };
}

function word(data: Uint8Array, at: number): number {
  return (data[at]! << 8) | data[at + 1]!;
}
