import type { Probe, Sniff } from '../../acquisition.js';

/** The container's own words, UTF-16LE, behind the 13 bytes of its header. */
const TEXTS = ['<LMSDataContainer', 'LMS_Object_File'];
const TEXT_AT = 13;

/** Whether the head of a file is that of a LIF or LOF container. */
export function isContainer(head: Uint8Array): boolean {
  return head[0] === 0x70 && head[1] === 0 && head[2] === 0 && head[3] === 0 && head[8] === 0x2a;
}

export function sniff(probe: Probe): Sniff {
  if (probe.kind !== 'file') return false;
  if (isContainer(probe.head)) {
    const text = new TextDecoder('utf-16le').decode(probe.head.subarray(TEXT_AT, TEXT_AT + 64));
    return TEXTS.some((start) => text.startsWith(start)) ? 'sure' : 'maybe';
  }
  // The XML of a project or an image on disk: UTF-8 or UTF-16, with or without a declaration.
  const ascii = Array.from(probe.head.subarray(0, 1024), (byte) => (byte === 0 ? '' : String.fromCharCode(byte)));
  return ascii.join('').includes('<LMSDataContainerHeader') ? 'sure' : false;
}
