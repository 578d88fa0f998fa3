/** Writes the small TIFF files of the kit. */
import { writeFileSync } from 'node:fs';
import { TiffWriter } from '@acquisition-store/readers/derive/writers/tiff-writer.js';
import type { ByteSink } from '@acquisition-store/readers/derive/writers/types.js';
import type { SampleArray } from '@acquisition-store/readers/model/samples/types.js';

export interface Image {
  rows: number;
  columns: number;
  /** Samples of each page, row by row. */
  pages: readonly SampleArray[];
  /** Text of the first page. */
  description?: string;
}

export function writeTiff(path: string, { rows, columns, pages, description }: Image): void {
  const memory = new Memory();
  const writer = new TiffWriter(memory, { isBig: false });
  for (const [i, samples] of pages.entries()) {
    const page = { rows, columns, sampleFormat: sampleFormat(samples), bits: 8 * samples.BYTES_PER_ELEMENT };
    writer.add({ ...page, ...(i === 0 && description !== undefined ? { description } : {}) }, samples);
  }
  writer.finish();
  writeFileSync(path, memory.bytes, { flag: 'wx' });
}

/** A file that is small enough for memory. */
class Memory implements ByteSink {
  bytes = new Uint8Array();

  get length(): number {
    return this.bytes.length;
  }

  write(part: ArrayBufferView): void {
    const before = this.bytes;
    this.bytes = new Uint8Array(before.length + part.byteLength);
    this.bytes.set(before);
    this.patch(before.length, part);
  }

  patch(position: number, part: ArrayBufferView): void {
    this.bytes.set(new Uint8Array(part.buffer, part.byteOffset, part.byteLength), position);
  }
}

function sampleFormat(samples: SampleArray): 1 | 3 {
  return samples instanceof Float32Array ? 3 : 1;
}

export interface OmeImage {
  rows: number;
  columns: number;
  type: 'uint16' | 'float';
  channels: readonly string[];
  times?: number;
  sections?: number;
  /** When each time point of the first channel was recorded. */
  seconds?: readonly number[];
  /** Micrometers of a pixel. */
  pixel?: { width: number; height: number };
}

/** Returns the OME-XML of an image whose pages run through channels, then sections, then time points. */
export function omeXml({
  rows,
  columns,
  type,
  channels,
  times = 1,
  sections = 1,
  seconds = [],
  pixel,
}: OmeImage): string {
  const size = pixel
    ? ` PhysicalSizeX="${pixel.width}" PhysicalSizeXUnit="µm" PhysicalSizeY="${pixel.height}" PhysicalSizeYUnit="µm"`
    : '';
  const parts = channels.map((name, c) => `<Channel ID="Channel:0:${c}" Name="${name}" SamplesPerPixel="1"/>`);
  const stamps = seconds.flatMap((at, t) =>
    Array.from({ length: sections }, (_, z) => `<Plane TheC="0" TheZ="${z}" TheT="${t}" DeltaT="${at}"/>`),
  );
  return (
    '<?xml version="1.0" encoding="UTF-8"?><OME xmlns="http://www.openmicroscopy.org/Schemas/OME/2016-06">' +
    `<Image ID="Image:0"><Pixels ID="Pixels:0" DimensionOrder="XYCZT" Type="${type}" SizeX="${columns}" SizeY="${rows}" ` +
    `SizeC="${channels.length}" SizeZ="${sections}" SizeT="${times}"${size}>${parts.join('')}` +
    `<TiffData IFD="0" PlaneCount="${channels.length * sections * times}"/>` +
    `${stamps.join('')}</Pixels></Image></OME>`
  );
}
