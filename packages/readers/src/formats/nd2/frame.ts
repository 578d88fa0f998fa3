/** The shape and encoding of frames, and which of their interleaved components belongs to which channel. */

import { decodeFailed, unsupported } from '../../base/errors.js';
import { LIMITS } from '../../base/limits.js';
import type { Notes } from '../../base/notes.js';
import { grouped, plural } from '../../base/wording.js';
import { decodeScratch } from '../../codecs/scratch.js';
import { type ChannelDisplay, SAMPLE_DISPLAYS } from '../../model/metadata/colors.js';
import type { FoundOptics } from '../../model/metadata/instrument.js';
import type { SampleType } from '../../model/samples/types.js';
import { planeDisplay } from './display.js';
import type { RawAttributes, RawPicture } from './parse.js';

export interface FrameForm {
  width: number;
  /** Rows of every frame: those in the file, not the planned ones. */
  height: number;
  /** Bytes from one row to the next. */
  stride: number;
  components: number;
  bytesPerSample: 1 | 2 | 4;
  sampleType: SampleType;
  /** True when each frame is one zlib stream. */
  deflated: boolean;
}

/** Bytes before the pixels of a frame: its time in ms as a float64. */
export const TIME_BYTES = 8;

/** Checks the image attributes. @throws AcqError `decode_failed`, `unsupported_format` */
export function frameForm(raw: RawAttributes): FrameForm {
  const { width, height, components, bits } = raw;
  if (raw.compression === 1) {
    throw unsupported('lossy compression is not supported. Save the file in NIS-Elements without compression.');
  }
  if (bits !== 8 && bits !== 16 && bits !== 32) {
    throw unsupported(`${bits} bits per sample are not supported; 8, 16 and 32 are`);
  }
  const isCount = (value: number) => Number.isSafeInteger(value) && value >= 1;
  if (!isCount(width) || !isCount(height) || !isCount(components) || components > LIMITS.channels) {
    throw decodeFailed(
      `the image attributes are invalid: frames of ${grouped(width)} × ${grouped(height)} pixels with ` +
        `${plural(components, 'component')}`,
    );
  }
  const bytesPerSample = (bits / 8) as 1 | 2 | 4;
  const row = width * components * bytesPerSample;
  // Rows start at multiples of four bytes, as files that contain the row length show.
  const stride = raw.widthBytes === 0 ? Math.ceil(row / 4) * 4 : raw.widthBytes;
  if (!Number.isSafeInteger(stride) || stride < row || stride % bytesPerSample !== 0) {
    throw decodeFailed(
      `the image attributes say ${plural(stride, 'byte')} per row, but a row of ${plural(width, 'pixel')} takes ${grouped(row)}`,
    );
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

/** Size in bytes of a row without its padding. */
export function rowBytes(form: FrameForm): number {
  return form.width * form.components * form.bytesPerSample;
}

/** Bytes that reading a frame needs in addition to the target: a compressed frame is decompressed as a whole. */
export function scratchBytes({ deflated, height, stride }: FrameForm): number {
  return deflated ? decodeScratch(height * stride, 'bytes') : 0;
}

/** Size in bytes of a frame with `rows` rows. The last row has no padding. */
export function frameBytes(form: FrameForm, rows: number): number {
  return (rows - 1) * form.stride + rowBytes(form);
}

/** Number of complete rows in `bytes` bytes of pixels. */
export function countRows(form: FrameForm, bytes: number): number {
  return bytes < rowBytes(form) ? 0 : Math.floor((bytes - rowBytes(form)) / form.stride) + 1;
}

export interface FrameChannel {
  name: string;
  /** Index among the interleaved components. */
  component: number;
  display?: ChannelDisplay;
  optics?: FoundOptics | undefined;
}

/**
 * Returns the channels in the order of the picture planes, which take their components one after the other. A plane of
 * three components is a color image, stored as blue, green, red; its channels are R, G, B.
 */
export function frameChannels(components: number, planes: RawPicture['planes'], notes: Notes): FrameChannel[] {
  const described = planes.reduce((sum, plane) => sum + plane.components, 0);
  const counts = planes.every(({ components: n }) => Number.isSafeInteger(n) && n >= 1);
  if (described !== components || !counts) {
    if (planes.length > 0) {
      notes.add(
        `The described channels have ${plural(described, 'component')}, but the frames have ${grouped(components)}.`,
      );
    }
    const named = planes.length === components;
    return Array.from({ length: components }, (_, i) => {
      const plane = named ? planes[i] : undefined;
      return {
        name: plane?.name ?? '',
        component: i,
        ...(plane ? { display: planeDisplay(plane), optics: plane.optics } : {}),
      };
    });
  }
  const channels: FrameChannel[] = [];
  for (const plane of planes) {
    const first = channels.length;
    const display = planeDisplay(plane);
    const { optics } = plane;
    if (plane.components === 1) channels.push({ name: plane.name, component: first, display, optics });
    else if (plane.components === 3) {
      const prefix = planes.length === 1 ? '' : `${plane.name} `;
      for (const [i, color] of ['R', 'G', 'B'].entries()) {
        const ownDisplay = { ...display, color: SAMPLE_DISPLAYS[i]?.color };
        channels.push({ name: prefix + color, component: first + 2 - i, display: ownDisplay, optics });
      }
    } else {
      for (let i = 0; i < plane.components; i++)
        channels.push({ name: `${plane.name} ${i + 1}`, component: first + i, display, optics });
    }
  }
  return channels;
}
