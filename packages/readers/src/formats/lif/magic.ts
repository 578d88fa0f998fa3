import { indexOfBytes, toLatin1, toUtf16 } from '../../base/bytes.js';
import type { Probe, Sniff } from '../../model/acquisition.js';

/** How the text after the 13 bytes of the header starts, in UTF-16LE. */
const TEXTS = ['<LMSDataContainer', 'LMS_Object_File'];
const TEXT_OFFSET = 13;
const PROJECT = '<LMSDataContainerHeader';
/** In UTF-8; in UTF-16 of both byte orders, which share all bytes but one at an end. */
const PROJECTS = [toLatin1(PROJECT), toUtf16(PROJECT).subarray(0, -1)];

/** True for the first bytes of a LIF or LOF file. */
export function isContainer(head: Uint8Array): boolean {
  return head[0] === 0x70 && head[1] === 0 && head[2] === 0 && head[3] === 0 && head[8] === 0x2a;
}

export function sniff(probe: Probe): Sniff {
  if (probe.kind !== 'file') return false;
  if (isContainer(probe.head)) {
    const text = new TextDecoder('utf-16le').decode(probe.head.subarray(TEXT_OFFSET, TEXT_OFFSET + 64));
    return TEXTS.some((start) => text.startsWith(start)) ? 'sure' : 'maybe';
  }
  // The XML of a project or an image on disk is UTF-8 or UTF-16, with or without a declaration.
  const head = probe.head.subarray(0, 1024);
  return PROJECTS.some((start) => indexOfBytes(head, start) >= 0) ? 'sure' : false;
}
