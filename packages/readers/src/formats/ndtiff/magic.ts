import type { Probe, Sniff } from '../../model/acquisition.js';

export const INDEX_NAME = 'NDTiff.index';
/** Folder of the pixels when the set is a pyramid, and always in version 2; beside it are reduced levels. */
export const FULL_RESOLUTION = 'Full resolution';

/** Follows the TIFF header, and in version 1 the offset of the index. */
const MAGIC = 483_729;
const V1_INDEX_MARK = 54_773_648;

export function sniff(probe: Probe): Sniff {
  if (probe.kind === 'directory') {
    if (probe.entries.includes(INDEX_NAME)) return 'sure';
    return probe.entries.includes(FULL_RESOLUTION) ? 'maybe' : false;
  }
  if (isMember(probe.head)) return 'sure';
  return probe.name.toLowerCase() === INDEX_NAME.toLowerCase() && isIndex(probe.head) ? 'sure' : false;
}

/** True for a TIFF file of a set, of any version. */
export function isMember(head: Uint8Array): boolean {
  if (head.length < 28) return false;
  const view = new DataView(head.buffer, head.byteOffset, head.byteLength);
  const mark = view.getUint16(0);
  if (mark !== 0x4949 && mark !== 0x4d4d) return false;
  if (view.getUint16(2, mark === 0x4949) !== 42) return false;
  return view.getUint32(8, true) === MAGIC || isVersion1(view);
}

/** True for version 1, which keeps its index inside the TIFF file. */
export function isVersion1(view: DataView): boolean {
  return view.getUint32(8, true) === V1_INDEX_MARK && view.getUint32(24, true) === MAGIC;
}

/** True when a JSON object follows its length. */
function isIndex(head: Uint8Array): boolean {
  return head.length > 4 && head[4] === 0x7b;
}
