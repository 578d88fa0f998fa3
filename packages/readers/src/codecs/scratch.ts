/** A compressed piece as stored, and its decoded copy. The stored one is assumed not to be larger. */
const BYTE_CODEC_COPIES = 2;
/** Image codecs keep the stream, working planes and the result in WebAssembly memory; the result is copied once more. */
const IMAGE_CODEC_COPIES = 6;

/**
 * Returns the bytes of memory that decoding one compressed piece takes.
 * @param decodedBytes bytes of the piece's samples
 */
export function decodeScratch(decodedBytes: number, kind: 'bytes' | 'image'): number {
  return decodedBytes * (kind === 'bytes' ? BYTE_CODEC_COPIES : IMAGE_CODEC_COPIES);
}
