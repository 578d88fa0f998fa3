/** Codecs in WebAssembly, each a file of its own that is loaded when a file needs it. */
import jpeg from '@cornerstonejs/codec-libjpeg-turbo-8bit/decodewasm?url';
import jpeg2000 from '@cornerstonejs/codec-openjpeg/decodewasm?url';
import webp from '@jsquash/webp/codec/dec/webp_dec.wasm?url';

const ADDRESSES: Readonly<Record<string, string>> = {
  '@cornerstonejs/codec-libjpeg-turbo-8bit/decodewasm': jpeg,
  '@cornerstonejs/codec-openjpeg/decodewasm': jpeg2000,
  '@jsquash/webp/codec/dec/webp_dec.wasm': webp,
};

export async function readWasm(specifier: string): Promise<Uint8Array> {
  const address = ADDRESSES[specifier];
  if (address === undefined) throw new Error(`${specifier} is not among the files of the page`);
  const response = await fetch(new URL(address, import.meta.url));
  if (!response.ok) throw new Error(`${address}: status ${response.status}`);
  return new Uint8Array(await response.arrayBuffer());
}
