import type { ByteDecoder, ImageDecoder } from './types.js';

/**
 * The codecs, by name. Each is imported when the first file needs it; the WebAssembly ones are compiled then and stay
 * for the life of the thread.
 */
export const BYTE_CODECS = {
  lzw: async (): Promise<ByteDecoder> => (await import('./lzw.js')).decodeLzw,
  packbits: async (): Promise<ByteDecoder> => (await import('./packbits.js')).decodePackBits,
  deflate: async (): Promise<ByteDecoder> => (await import('./deflate.js')).decodeDeflate,
} as const;

export const IMAGE_CODECS = {} as const satisfies Record<string, () => Promise<ImageDecoder>>;

export type ByteCodecName = keyof typeof BYTE_CODECS;
export type ImageCodecName = keyof typeof IMAGE_CODECS;
