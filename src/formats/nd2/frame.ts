/** The form of a frame, and which of its interleaved components is which channel. */

import { decodeScratch } from '../../codecs/scratch.js';
import { decodeFailed, unsupported } from '../../errors.js';
import { LIMITS } from '../../io/limits.js';
import { type ChannelDisplay, SAMPLE_DISPLAYS } from '../../metadata/colors.js';
import type { SampleType } from '../../samples/types.js';
import { plural } from '../../wording.js';
import { planeDisplay } from './display.js';
import type { RawAttributes, RawPicture } from './parse.js';

export interface FrameForm {
  width: number;
  /** Rows of every frame: what the file holds, not what was planned. */
  height: number;
  /** Bytes from one row to the next. */
  stride: number;
  components: number;
  bytesPerSample: 1 | 2 | 4;
  sampleType: SampleType;
  /** Each frame is one zlib stream. */
  deflated: boolean;
}

/** Bytes in front of the pixels of a frame: its time in ms, a float64. */
export const TIME_BYTES = 8;

/** @throws AcqError `decode_failed`, `unsupported_format` */
export function frameForm(name: string, raw: RawAttributes): FrameForm {
  const { width, height, components, bits } = raw;
  if (raw.compression === 1) {
    throw unsupported(
      `${name}: is compressed with loss, which cannot be read; save it in NIS-Elements without compression`,
    );
  }
  if (bits !== 8 && bits !== 16 && bits !== 32) {
    throw unsupported(`${name}: stores ${bits} bits per sample; 8, 16 and 32 can be read`);
  }
  const inside = (value: number, limit: number) => Number.isSafeInteger(value) && value >= 1 && value <= limit;
  if (!inside(width, LIMITS.planeSide) || !inside(height, LIMITS.planeSide) || !inside(components, LIMITS.channels)) {
    throw decodeFailed(`${name}: claims frames of ${width} × ${height} pixels with ${components} components`);
  }
  if (width * height > LIMITS.planePixels) {
    throw unsupported(`${name}: planes of ${height} × ${width} pixels are larger than can be served`);
  }
  const bytesPerSample = (bits / 8) as 1 | 2 | 4;
  const row = width * components * bytesPerSample;
  // Rows begin at multiples of four bytes; files say so themselves.
  const stride = raw.widthBytes === 0 ? Math.ceil(row / 4) * 4 : raw.widthBytes;
  if (!Number.isSafeInteger(stride) || stride < row || stride % bytesPerSample !== 0) {
    throw decodeFailed(`${name}: says that a row has ${stride} bytes; ${width} pixels take ${row}`);
  }
  return {
    width,
    height,
    stride,
    components,
    bytesPerSample,
    sampleType: sampleTypeOf(bits, raw.pixelType),
    deflated: raw.compression === 0,
  };
}

/** Samples of 32 bits are floats unless the file says that they are integers. */
function sampleTypeOf(bits: 8 | 16 | 32, pixelType: number | undefined): SampleType {
  if (bits === 32 && (pixelType === undefined || pixelType === 2)) return 'float32';
  return `${pixelType === 0 ? 'int' : 'uint'}${bits}`;
}

/** Bytes of one row without its padding. */
export function rowBytes(form: FrameForm): number {
  return form.width * form.components * form.bytesPerSample;
}

/** Bytes that reading a frame takes beside the target: compressed ones are unpacked whole. */
export function scratchBytes({ deflated, height, stride }: FrameForm): number {
  return deflated ? decodeScratch(height * stride, 'bytes') : 0;
}

/** Bytes of a frame of `rows` rows; the last one needs no padding. */
export function frameBytes(form: FrameForm, rows: number): number {
  return (rows - 1) * form.stride + rowBytes(form);
}

/** Whole rows in `bytes` bytes of pixels. */
export function rowsIn(form: FrameForm, bytes: number): number {
  return bytes < rowBytes(form) ? 0 : Math.floor((bytes - rowBytes(form)) / form.stride) + 1;
}

export interface FrameChannel {
  name: string;
  /** Which of the interleaved components. */
  component: number;
  display?: ChannelDisplay;
}

/**
 * Channels in the order of the picture planes; each plane takes its components one after the other. A plane of three is
 * colour, and stored blue, green, red: its channels are R, G, B.
 */
export function frameChannels(components: number, planes: RawPicture['planes'], warnings: string[]): FrameChannel[] {
  const described = planes.reduce((sum, plane) => sum + plane.components, 0);
  const counts = planes.every(({ components: n }) => Number.isSafeInteger(n) && n >= 1);
  if (described !== components || !counts) {
    if (planes.length > 0) {
      warnings.push(`The described channels have ${plural(described, 'component')}; the frames have ${components}.`);
    }
    const named = planes.length === components;
    return Array.from({ length: components }, (_, i) => {
      const plane = named ? planes[i] : undefined;
      return { name: plane?.name ?? '', component: i, ...(plane ? { display: planeDisplay(plane) } : {}) };
    });
  }
  const channels: FrameChannel[] = [];
  for (const plane of planes) {
    const first = channels.length;
    const display = planeDisplay(plane);
    if (plane.components === 1) channels.push({ name: plane.name, component: first, display });
    else if (plane.components === 3) {
      const prefix = planes.length === 1 ? '' : `${plane.name} `;
      for (const [i, colour] of ['R', 'G', 'B'].entries()) {
        const own = { ...display, color: SAMPLE_DISPLAYS[i]?.color };
        channels.push({ name: prefix + colour, component: first + 2 - i, display: own });
      }
    } else {
      for (let i = 0; i < plane.components; i++)
        channels.push({ name: `${plane.name} ${i + 1}`, component: first + i, display });
    }
  }
  return channels;
}
