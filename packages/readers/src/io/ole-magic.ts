/** Apart from the parser, which a page need not load to recognize a file. */
const OLE_MAGIC = Uint8Array.of(0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1);

/** True for the start of a compound file, whatever it contains. */
export function isOle(head: Uint8Array): boolean {
  return OLE_MAGIC.every((value, i) => head[i] === value);
}
