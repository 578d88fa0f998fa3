/** Limits of a decoder's output. Both come from a checked layout, never from the compressed data. */
export interface OutputSize {
  /** Size of the result in bytes. */
  expected: number;
  /** More bytes than this mean that the data are corrupted; at least `expected`. */
  limit: number;
  /** Memory that may receive the result, if it is large enough. Its content does not matter. */
  reuse?: Uint8Array | undefined;
}

/**
 * Decompresses bytes. Returns what the data contain: perhaps less than expected, which the caller checks, and never more
 * than `limit`. The caller owns the result, which may be in `reuse`.
 * @throws AcqError `decode_failed` for corrupted data
 */
export type ByteDecoder = (data: Uint8Array, size: OutputSize) => Uint8Array;

/** Pixels of an image codec, row by row, components interleaved. */
export interface DecodedImage {
  width: number;
  height: number;
  components: number;
  samples: Uint8Array | Int8Array | Uint16Array | Int16Array | Float32Array;
}

export interface ImageOptions {
  /** Larger images are refused before they are decoded. */
  maxPixels: number;
  /** Components that the caller expects. */
  components: number;
  /** JPEG: quantization and Huffman tables that are stored separately (TIFF tag 347). */
  tables?: Uint8Array | undefined;
  /** JPEG: color space of a three-component image. `ycbcr` is converted to RGB, `rgb` is not converted. */
  colours?: 'ycbcr' | 'rgb';
}

/**
 * Decodes a complete image stream.
 * @throws AcqError `decode_failed` for corrupted data, `unsupported_format` for an unsupported variant
 */
export type ImageDecoder = (data: Uint8Array, options: ImageOptions) => DecodedImage;

/** Returns memory for a result: the beginning of `reuse` if it is large enough, else new memory. */
export function resultMemory(bytes: number, { reuse }: OutputSize): Uint8Array {
  return reuse && reuse.length >= bytes ? reuse.subarray(0, bytes) : new Uint8Array(bytes);
}
