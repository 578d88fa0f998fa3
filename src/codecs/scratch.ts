/** A compressed piece as stored, and its decoded copy; what deserves compression is not larger when stored. */
const BYTE_CODEC_COPIES = 2;
/** Image codecs keep the stream, their own working planes and the result in WebAssembly memory, and the copy of it. */
const IMAGE_CODEC_COPIES = 6;

/**
 * Bytes that decoding one compressed piece takes at a time.
 * @param decodedBytes bytes of the piece's samples
 */
export function decodeScratch(decodedBytes: number, kind: 'bytes' | 'image'): number {
  return decodedBytes * (kind === 'bytes' ? BYTE_CODEC_COPIES : IMAGE_CODEC_COPIES);
}
