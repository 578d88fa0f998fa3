import { decodeText, startsWithTag } from '../../io/text.js';
import type { Probe, Sniff } from '../../model/acquisition.js';

/** Returns `maybe` at most: the pixels may be in TIFF files that the XML names, which the TIFF reader opens. */
export function sniff(probe: Probe): Sniff {
  return probe.kind === 'file' && isOmeXml(probe.head) ? 'maybe' : false;
}

/** True for XML whose root element is `OME`, with any prefix. */
export function isOmeXml(head: Uint8Array): boolean {
  if (!startsWithTag(head)) return false;
  const text = decodeText(head.subarray(0, head.length - (head.length % 2))).replace(/^\ufeff/, '');
  const withoutComments = text.replace(/<!--[\s\S]*?-->/g, '');
  return /^\s*(?:<\?[^>]*\?>\s*)*<(?:[\w.-]+:)?OME[\s>]/.test(withoutComments);
}
