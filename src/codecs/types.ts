/** How much a decoder may produce. Both come from a checked layout, never from the compressed data. */
export interface OutputSize {
  /** Bytes that are needed. */
  expected: number;
  /** Bytes above which the data cannot be what they claim; at least `expected`. */
  limit: number;
}

/**
 * Bytes → bytes. Returns what the data hold, which may be less (the caller judges) or more than expected, never more
 * than `limit`. The result is the caller's own.
 * @throws AcqError `decode_failed` for damaged data
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
  /** Pixels above which the image is refused before it is decoded. */
  maxPixels: number;
  /** Components that the caller expects. */
  components: number;
  /** JPEG: quantisation and Huffman tables kept apart from the image (TIFF tag 347). */
  tables?: Uint8Array | undefined;
  /** JPEG: colours of a three-component image: `ycbcr` is converted to RGB, `rgb` is left alone. */
  colours?: 'ycbcr' | 'rgb';
}

/**
 * A complete image stream → pixels.
 * @throws AcqError `decode_failed` for damaged data, `unsupported_format` for a variant that is not decoded
 */
export type ImageDecoder = (data: Uint8Array, options: ImageOptions) => DecodedImage;
