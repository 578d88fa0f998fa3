import { ignoreCorrupted } from '../../../base/errors.js';
import { Notes } from '../../../base/notes.js';
import { asCorrupted } from '../../../base/warning-kinds.js';
import { grouped, plural } from '../../../base/wording.js';
import type { SceneInfo } from '../../../model/acquisition.js';
import { NO_CLOCK, parseDateTime } from '../../../model/metadata/dates.js';
import { defaultStep, fileStep, makeStep } from '../../../model/metadata/steps.js';
import { TAG } from '../../../tiff/tags.js';
import type { TiffPage } from '../../../tiff/types.js';
import type { Arrangement, FlavorContext, FlavorReader } from '../arrangement.js';
import { sampleChannels } from '../metadata.js';
import { readText } from '../parse.js';
import { countPlanes } from '../plane-run.js';
import { MIN_NIH_HEADER_BYTES, NIH_HEADER } from './signs.js';

/** Units by their number, starting at 5. Versions up to 1.53 count from 0. */
const UNITS = ['nm', 'um', 'mm', 'cm', 'm', 'km', 'inch', 'ft'];

/** NIH Image, the predecessor of ImageJ: a header in a private tag, and planes after a single IFD. */
export const nihFlavor: FlavorReader = {
  arrange: async (context) => arrangeSlices(context),
};

/** Fields of the 256-byte header, which is big-endian in every file (as ImageJ reads it). */
interface NihHeader {
  /** Pixels per unit; 0 if there is no scale. */
  scale: number;
  unit: string | undefined;
  /** Height of a pixel divided by its width. */
  aspect: number;
  slices: number;
  sliceSpacing: number;
  frameInterval: number;
}

/** Parses the header. @param bytes at least 256 */
function parseNihHeader(bytes: Uint8Array): NihHeader {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const reaches = (end: number) => view.byteLength >= end;
  const version = view.getInt16(12);
  const unit = view.getInt16(172) + (version <= 153 ? 5 : 0);
  const aspect = version > 140 && reaches(276) ? view.getFloat32(272) : 1;
  return {
    scale: version > 106 ? view.getFloat64(160) : 0,
    unit: UNITS[unit - 5],
    aspect: Number.isFinite(aspect) && aspect > 0 ? 1 / aspect : 1,
    slices: reaches(262) ? Math.max(1, view.getInt16(260)) : 1,
    sliceSpacing: reaches(266) ? view.getFloat32(262) : 0,
    frameInterval: reaches(272) ? view.getFloat32(268) : 0,
  };
}

function arrangeSlices(context: FlavorContext): Arrangement | undefined {
  const { file, page, notes: fileNotes } = context;
  const header = readHeader(page);
  if (!header) {
    fileNotes.add(asCorrupted('The NIH Image header is corrupted and was ignored.'));
    return undefined;
  }
  const { count, run } = countPlanes(file, page, header.slices);
  const notes = new Notes();
  if (count !== header.slices)
    notes.add(`NIH Image says ${plural(header.slices, 'slice')}, but the file has ${grouped(count)}.`);
  return {
    scenes: [toScene(page, header, count, notes)],
    locate: ({ channel, z }) => {
      if (!run) return { file, page: file.page(z), sample: channel };
      return { file, page, sample: channel, dataOffset: run.offset + z * run.planeBytes };
    },
  };
}

function readHeader(page: TiffPage): NihHeader | undefined {
  const bytes = ignoreCorrupted(() => page.bytes(NIH_HEADER));
  return bytes && bytes.length >= MIN_NIH_HEADER_BYTES ? parseNihHeader(bytes) : undefined;
}

function toScene(page: TiffPage, header: NihHeader, count: number, notes: Notes): SceneInfo {
  const size = header.scale > 0 ? 1 / header.scale : undefined;
  const length = (value: number | undefined, what: string, fallback: 'Pixels' | 'Planes') =>
    fileStep(value, header.unit, { what: `NIH Image ${what}`, warnings: notes, fallback, expect: 'micrometer' });
  const X = length(size, 'scale', 'Pixels');
  const Y = length(size === undefined ? undefined : size * header.aspect, 'scale', 'Pixels');
  const { layout } = page;
  return {
    name: '',
    sampleType: layout.sampleType,
    channels: sampleChannels(layout),
    sizes: { T: 1, Z: count, Y: layout.height, X: layout.width },
    steps: {
      X,
      Y,
      Z: length(header.sliceSpacing || undefined, 'slice spacing', 'Planes'),
      T: makeStep(header.frameInterval, 'seconds') ?? defaultStep('Frames'),
    },
    ...(parseDateTime(readText(page, TAG.dateTime)) ?? NO_CLOCK),
    reference: null,
    warnings: notes.list(),
  };
}
