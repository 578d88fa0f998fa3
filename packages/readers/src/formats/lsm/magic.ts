import type { Probe, Sniff } from '../../model/acquisition.js';

/** Tag TIF_CZ_LSMINFO, which only the first IFD of an LSM file has. */
export const CZ_LSMINFO = 34412;

/**
 * Recognizes a little-endian classic TIFF whose first IFD has the Zeiss tag. When the head of the file does not contain
 * that IFD, goes by the extension.
 */
export function sniff(probe: Probe): Sniff {
  const { head } = probe;
  if (probe.kind !== 'file' || head.length < 8) return false;
  const view = new DataView(head.buffer, head.byteOffset, head.byteLength);
  if (view.getUint32(0) !== 0x49492a00) return false;
  const ifd = view.getUint32(4, true);
  const isInHead = ifd + 2 <= head.length;
  const count = isInHead ? view.getUint16(ifd, true) : 0;
  for (let i = 0, at = ifd + 2; i < count && at + 12 <= head.length; i++, at += 12) {
    if (view.getUint16(at, true) === CZ_LSMINFO) return 'sure';
  }
  const isWhole = isInHead && ifd + 2 + 12 * count <= head.length;
  return !isWhole && probe.name.toLowerCase().endsWith('.lsm') ? 'maybe' : false;
}
