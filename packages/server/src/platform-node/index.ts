import type { Platform } from '@acquisition-store/readers/base/platform.js';
import { useFullParser } from '@acquisition-store/readers/io/xml-full-parser.js';
import { SaxesFullParser } from '@acquisition-store/readers/io/xml-saxes.js';
import { nodeInflate } from './inflate.js';
import { nodeWasm } from './wasm.js';

useFullParser((tree) => new SaxesFullParser(tree));

/** Where readers run in the server, the command line and the library. */
export const NODE: Platform = { inflate: nodeInflate, wasm: nodeWasm, swapBytes };

/** Large planes of big-endian files take three times as long without it. */
function swapBytes({ buffer, byteOffset, length }: Uint8Array, size: number): void {
  const bytes = Buffer.from(buffer, byteOffset, length);
  if (size === 2) bytes.swap16();
  else if (size === 4) bytes.swap32();
  else bytes.swap64();
}
