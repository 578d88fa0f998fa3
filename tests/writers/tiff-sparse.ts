/** Writes TIFF files of any size that take no room on the disk: all their samples are zero. */
import { closeSync, ftruncateSync, openSync, writeSync } from 'node:fs';

const HEADER_BYTES = 256;

/** Writes one uncompressed page in one strip, of integers of 16 bits or float32. */
export function writeSparseTiff(
  path: string,
  { width, height, bits = 16 }: { width: number; height: number; bits?: 16 | 32 },
): string {
  const bytes = (bits / 8) * width * height;
  const LONG = 4;
  const SHORT = 3;
  const tags = [
    [256, LONG, width],
    [257, LONG, height],
    [258, SHORT, bits],
    [259, SHORT, 1],
    [262, SHORT, 1],
    [273, LONG, HEADER_BYTES],
    [277, SHORT, 1],
    [278, LONG, height],
    [279, LONG, bytes],
    [339, SHORT, bits === 16 ? 1 : 3],
  ] as const;
  const header = Buffer.alloc(HEADER_BYTES);
  header.write('II*\0\x08\0\0\0', 0, 'latin1');
  header.writeUInt16LE(tags.length, 8);
  for (const [i, [tag, type, value]] of tags.entries()) {
    header.writeUInt16LE(tag, 10 + 12 * i);
    header.writeUInt16LE(type, 12 + 12 * i);
    header.writeUInt32LE(1, 14 + 12 * i);
    header.writeUInt32LE(value, 18 + 12 * i);
  }
  const file = openSync(path, 'w');
  writeSync(file, header);
  ftruncateSync(file, HEADER_BYTES + bytes);
  closeSync(file);
  return path;
}
