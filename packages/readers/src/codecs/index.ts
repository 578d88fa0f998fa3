import type { ByteDecoder, ImageDecoder } from './types.js';

/**
 * The codecs, by name. Each is imported when the first file needs it. WebAssembly codecs are compiled then and stay loaded
 * for the life of the thread.
 */
export const BYTE_CODECS = {
  lzw: async (): Promise<ByteDecoder> => (await import('./lzw.js')).decodeLzw,
  packbits: async (): Promise<ByteDecoder> => (await import('./packbits.js')).decodePackBits,
  deflate: async (): Promise<ByteDecoder> => (await import('./deflate.js')).decodeDeflate,
  zstd: async (): Promise<ByteDecoder> => (await import('./zstd.js')).loadZstd(),
  gzip: async (): Promise<ByteDecoder> => (await import('./gzip.js')).decodeGzip,
  lz4: async (): Promise<ByteDecoder> => (await import('./lz4.js')).decodeSizedLz4,
  blosc: async (): Promise<ByteDecoder> => {
    const [{ bloscDecoder }, { loadZstd }] = await Promise.all([import('./blosc.js'), import('./zstd.js')]);
    return bloscDecoder(await loadZstd());
  },
  lzf: async (): Promise<ByteDecoder> => (await import('./lzf.js')).decodeLzf,
} as const;

export const IMAGE_CODECS = {
  jpeg: async (): Promise<ImageDecoder> => (await import('./jpeg.js')).loadJpeg(),
  jpeg2000: async (): Promise<ImageDecoder> => (await import('./jpeg2000.js')).loadJpeg2000(),
  jpegxr: async (): Promise<ImageDecoder> => (await import('./jpegxr.js')).loadJpegXr(),
  webp: async (): Promise<ImageDecoder> => (await import('./webp.js')).loadWebp(),
} as const;

export type ByteCodecName = keyof typeof BYTE_CODECS;
export type ImageCodecName = keyof typeof IMAGE_CODECS;
