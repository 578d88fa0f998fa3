import { hasBytesAt } from '../../base/bytes.js';
import type { Probe, Sniff } from '../../model/acquisition.js';

/** First bytes of every chunk, and so of a chunk file: little-endian 0x0ABECEDA. */
export const CHUNK_MAGIC = Uint8Array.of(0xda, 0xce, 0xbe, 0x0a);
/** First bytes of a JPEG 2000 file, which ND2 files were before 2008. */
const JP2_MAGIC = [0, 0, 0, 0x0c, 0x6a, 0x50, 0x20, 0x20, 0x0d, 0x0a, 0x87, 0x0a] as const;

/** True when `bytes` start like a chunk, and so for the first bytes of a chunk file. */
export function hasChunkMagic(bytes: Uint8Array): boolean {
  return hasBytesAt(bytes, CHUNK_MAGIC);
}

/** True for the first bytes of a file from before 2008. */
export function isLegacyFile(head: Uint8Array): boolean {
  return JP2_MAGIC.every((value, i) => head[i] === value);
}

/** Every JPEG 2000 image starts like a legacy ND2 file; only the extension tells them apart. */
export function sniff(probe: Probe): Sniff {
  if (probe.kind !== 'file') return false;
  if (hasChunkMagic(probe.head)) return 'sure';
  return isLegacyFile(probe.head) && /\.nd2$/i.test(probe.name) ? 'maybe' : false;
}
