import { decodeFailed } from '../errors.js';

/** What the headers of a JPEG stream say (ITU-T T.81 annex B). */
export interface JpegFrame {
  /** Number of the SOF marker: 0 baseline, 1 extended, 2 progressive, 3 lossless, … */
  process: number;
  bits: number;
  width: number;
  height: number;
  components: number;
  /** A JFIF header is there: three components are YCbCr. */
  jfif: boolean;
  /** Bytes of the segments that tell the colours (JFIF, Adobe). */
  colourSegments: { start: number; end: number }[];
}

const SOF = new Set([0, 1, 2, 3, 5, 6, 7, 9, 10, 11, 13, 14, 15].map((n) => 0xc0 + n));

/**
 * Reads the segments before the first scan.
 * @throws AcqError `decode_failed` when there is no frame header
 */
export function parseJpeg(data: Uint8Array): JpegFrame {
  if (data[0] !== 0xff || data[1] !== 0xd8) throw decodeFailed('is no JPEG stream');
  const colourSegments: JpegFrame['colourSegments'] = [];
  let frame: Omit<JpegFrame, 'jfif' | 'colourSegments'> | undefined;
  let jfif = false;
  for (let at = 2; at + 4 <= data.length; ) {
    if (data[at] !== 0xff) throw decodeFailed(`JPEG has no marker at byte ${at}; it is damaged`);
    const marker = data[at + 1] as number;
    // Fill bytes and markers without a length.
    if (marker === 0xff || marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8)) {
      at += marker === 0xff ? 1 : 2;
      continue;
    }
    if (marker === 0xda || marker === 0xd9) break;
    const end = at + 2 + word(data, at + 2);
    if (marker === 0xe0 || marker === 0xee) {
      colourSegments.push({ start: at, end: Math.min(end, data.length) });
      jfif ||= marker === 0xe0 && data[at + 4] === 0x4a && data[at + 5] === 0x46;
    }
    if (SOF.has(marker) && at + 10 <= data.length) frame = frameAt(data, at, marker - 0xc0);
    at = end;
  }
  if (!frame) throw decodeFailed('JPEG has no frame header; it is damaged or cut off');
  return { ...frame, jfif, colourSegments };
}

function frameAt(data: Uint8Array, at: number, process: number) {
  const bits = data[at + 4] as number;
  const components = data[at + 9] as number;
  return { process, bits, height: word(data, at + 5), width: word(data, at + 7), components };
}

function word(data: Uint8Array, at: number): number {
  return ((data[at] as number) << 8) | (data[at + 1] as number);
}
