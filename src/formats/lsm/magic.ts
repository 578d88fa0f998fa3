import type { Probe, Sniff } from '../../acquisition.js';

/** TIF_CZ_LSMINFO: only in the first IFD of an LSM file. */
export const CZ_LSMINFO = 34412;

/**
 * A little-endian classic TIFF whose first IFD has the tag of Zeiss. When that IFD lies behind the first bytes that are
 * looked at, the extension has to tell.
 */
export function sniff(probe: Probe): Sniff {
  const { head } = probe;
  if (probe.kind !== 'file' || head.length < 8) return false;
  const view = new DataView(head.buffer, head.byteOffset, head.byteLength);
  if (view.getUint32(0) !== 0x49492a00) return false;
  const ifd = view.getUint32(4, true);
  const seen = ifd + 2 <= head.length;
  const count = seen ? view.getUint16(ifd, true) : 0;
  for (let i = 0, at = ifd + 2; i < count && at + 12 <= head.length; i++, at += 12) {
    if (view.getUint16(at, true) === CZ_LSMINFO) return 'sure';
  }
  const whole = seen && ifd + 2 + 12 * count <= head.length;
  return !whole && probe.name.toLowerCase().endsWith('.lsm') ? 'maybe' : false;
}
