import type { Probe, Sniff } from '../../acquisition.js';

/** First bytes of the chunk file (little-endian 0x0ABECEDA), and of the JPEG 2000 file of before 2008. */
export const CHUNK_MAGIC = [0xda, 0xce, 0xbe, 0x0a] as const;
const JP2_MAGIC = [0, 0, 0, 0x0c, 0x6a, 0x50, 0x20, 0x20, 0x0d, 0x0a, 0x87, 0x0a] as const;

export function isChunkFile(head: Uint8Array): boolean {
  return CHUNK_MAGIC.every((value, i) => head[i] === value);
}

export function isLegacyFile(head: Uint8Array): boolean {
  return JP2_MAGIC.every((value, i) => head[i] === value);
}

/** Any JPEG 2000 image begins like a legacy ND2: the extension tells them apart. */
export function sniff(probe: Probe): Sniff {
  if (probe.kind !== 'file') return false;
  if (isChunkFile(probe.head)) return 'sure';
  return isLegacyFile(probe.head) && /\.nd2$/i.test(probe.name) ? 'maybe' : false;
}
