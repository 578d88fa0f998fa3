/** Writes NDTiff sets: TIFF files without compression, and the index beside them. */

export interface NdtiffImage {
  axes: Record<string, number | string>;
  width: number;
  height: number;
  /** Samples of 8 or 16 bits; R, G, B of each pixel for pixel type 2. */
  samples: Uint8Array | Uint16Array;
  /** 0: 8 bits, 1: 16 bits, 2: RGB, 3 to 6: 10, 12, 14, 11 bits in 16. Default: by the samples. */
  pixelType?: number;
  metadata?: Record<string, unknown>;
  /** Which TIFF file it is in; 0 by default. */
  file?: number;
}

export interface NdtiffSpec {
  version?: 2 | 3;
  name?: string;
  summary?: Record<string, unknown>;
  images: NdtiffImage[];
}

const encode = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));

function join(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

const words = (...values: number[]) => new Uint8Array(Uint32Array.from(values).buffer);

/** Returns the files of a set by their names; the index is `NDTiff.index`. */
export function writeNdtiff({
  version = 3,
  name = 'a',
  summary = {},
  images,
}: NdtiffSpec): Record<string, Uint8Array<ArrayBuffer>> {
  const files: Record<string, Uint8Array<ArrayBuffer>> = {};
  const places = new Map<NdtiffImage, { file: string; fields: number[] }>();
  const count = Math.max(...images.map(({ file = 0 }) => file)) + 1;
  for (let number = 0; number < count; number++) {
    const file = `${name}_NDTiffStack${number === 0 ? '' : `_${number}`}.tif`;
    files[file] = writeFile(
      images.filter((image) => (image.file ?? 0) === number),
      { version, summary },
      (image, fields) => {
        places.set(image, { file, fields });
      },
    );
  }
  const index = images.flatMap((image) => {
    const { file, fields } = places.get(image)!;
    const [axes, text] = [encode(image.axes), new TextEncoder().encode(file)];
    return [words(axes.length), axes, words(text.length), text, words(...fields)];
  });
  return { ...files, 'NDTiff.index': join(index) };
}

function writeFile(
  images: readonly NdtiffImage[],
  { version, summary }: { version: 2 | 3; summary: object },
  note: (image: NdtiffImage, fields: number[]) => void,
): Uint8Array<ArrayBuffer> {
  const text = encode(summary);
  const marks =
    version === 2 ? words(483_729, 2, 2_355_492, text.length) : words(483_729, 3, 3, 2_355_492, text.length);
  const start = 8 + marks.length + text.length;
  const first = start + (start % 2);
  const parts: Uint8Array[] = [
    new Uint8Array([0x49, 0x49, 42, 0]),
    words(first),
    marks,
    text,
    new Uint8Array(start % 2),
  ];
  let at = first;
  for (const [i, image] of images.entries()) {
    const page = writePage(at, image, i === images.length - 1);
    note(image, page.fields);
    parts.push(page.bytes);
    at += page.bytes.length;
  }
  return join(parts);
}

function writePage(at: number, image: NdtiffImage, isLast: boolean): { bytes: Uint8Array; fields: number[] } {
  const { width, height, samples, axes } = image;
  const pixelType = image.pixelType ?? (samples instanceof Uint16Array ? 1 : 0);
  const bits = pixelType === 1 || pixelType > 2 ? 16 : 8;
  const pixels = new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength);
  const metadata = encode({ ...image.metadata, Axes: axes });
  const perPixel = pixelType === 2 ? 3 : 1;
  const extra = perPixel === 3 ? 6 : 0;
  const resolution = at + 2 + 13 * 12 + 4 + extra;
  const pixelOffset = resolution + 16;
  const metadataOffset = pixelOffset + pixels.length;
  const end = metadataOffset + metadata.length;
  const next = isLast ? 0 : end + (end % 2);
  const bytes = new Uint8Array(end + (end % 2) - at);
  const view = new DataView(bytes.buffer);
  view.setUint16(0, 13, true);
  const entries: [number, number, number, number][] = [
    [256, 4, 1, width],
    [257, 4, 1, height],
    [258, 3, perPixel, perPixel === 3 ? at + 2 + 13 * 12 + 4 : bits],
    [259, 3, 1, 1],
    [262, 3, 1, perPixel === 3 ? 2 : 1],
    [273, 4, 1, pixelOffset],
    [277, 3, 1, perPixel],
    [278, 3, 1, height],
    [279, 4, 1, pixels.length],
    [282, 5, 1, resolution],
    [283, 5, 1, resolution + 8],
    [296, 3, 1, 3],
    [51_123, 2, metadata.length, metadataOffset],
  ];
  for (const [i, [code, type, count, value]] of entries.entries()) {
    view.setUint16(2 + i * 12, code, true);
    view.setUint16(4 + i * 12, type, true);
    view.setUint32(6 + i * 12, count, true);
    view.setUint32(10 + i * 12, value, true);
  }
  view.setUint32(2 + 13 * 12, next, true);
  for (let i = 0; i < extra; i += 2) view.setUint16(2 + 13 * 12 + 4 + i, 8, true);
  for (const offset of [0, 8]) {
    view.setUint32(resolution - at + offset, 40_000, true);
    view.setUint32(resolution - at + offset + 4, 1, true);
  }
  bytes.set(pixels, pixelOffset - at);
  bytes.set(metadata, metadataOffset - at);
  return { bytes, fields: [pixelOffset, width, height, pixelType, 0, metadataOffset, metadata.length, 0] };
}
