import type { Probe, Sniff } from '../../model/acquisition.js';

/** Returns `maybe` at most: formats that are built on the TIFF container recognize their own files for sure. */
export function sniff(probe: Probe): Sniff {
  if (probe.kind !== 'file') return false;
  return hasTiffHeader(probe.head) || isCompanion(probe) ? 'maybe' : false;
}

/** True for `II` or `MM` followed by 42 (classic TIFF) or by 43 with 8-byte offsets (BigTIFF). */
function hasTiffHeader(head: Uint8Array): boolean {
  if (head.length < 8) return false;
  const view = new DataView(head.buffer, head.byteOffset, head.byteLength);
  const order = view.getUint16(0);
  if (order !== 0x4949 && order !== 0x4d4d) return false;
  const little = order === 0x4949;
  const version = view.getUint16(2, little);
  return version === 42 || (version === 43 && view.getUint16(4, little) === 8);
}

/**
 * True for XML named `.companion.ome`, or `.ome` as in the sample sets of OME (`cells-companion.ome`), or `.ome.xml`; UTF-8 or
 * UTF-16.
 */
export function isCompanion(probe: Probe): boolean {
  if (!/\.ome(\.xml)?$/i.test(probe.name)) return false;
  const start = new TextDecoder('latin1')
    .decode(probe.head.subarray(0, 64))
    .replace(/[\0\u00ef\u00bb\u00bf\u00fe\u00ff\s]/g, '');
  return start.startsWith('<');
}
