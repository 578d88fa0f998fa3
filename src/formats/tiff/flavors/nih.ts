import type { SceneInfo } from '../../../acquisition.js';
import { AcqError } from '../../../errors.js';
import { NO_CLOCK, parseDateTime } from '../../../metadata/dates.js';
import { defaultStep, fileStep, makeStep } from '../../../metadata/steps.js';
import type { TiffPage } from '../../../tiff/types.js';
import type { Arrangement, Flavor, FlavorContext } from '../arrangement.js';
import { sampleChannels } from '../channels.js';
import { countPlanes } from '../plane-run.js';
import { textOf } from '../soft-tags.js';

const NIH_HEADER = 43314;
const DATE_TIME = 306;
const HEADER_BYTES = 256;

/** Units by their number, from 5 on; versions up to 1.53 count from 0. */
const UNITS = ['nm', 'um', 'mm', 'cm', 'm', 'km', 'inch', 'ft'];

/** NIH Image, the ancestor of ImageJ: a header of its own in a tag, planes behind one IFD. */
export const nihFlavor: Flavor = {
  id: 'nih',
  label: 'NIH Image',
  detect: ({ page }) => (page.tags.get(NIH_HEADER)?.byteLength ?? 0) >= HEADER_BYTES,
  arrange: async (context) => arrange(context),
};

/** Fields of the 256 bytes (as ImageJ reads them: big-endian whatever the file is). */
interface NihHeader {
  /** Pixels per unit; 0 without scale. */
  scale: number;
  unit: string | undefined;
  /** Height by width of a pixel. */
  aspect: number;
  slices: number;
  sliceSpacing: number;
  frameInterval: number;
}

/** @param bytes at least 256 */
export function parseNihHeader(bytes: Uint8Array): NihHeader {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const has = (offset: number) => view.byteLength >= offset;
  const version = view.getInt16(12);
  const unit = view.getInt16(172) + (version <= 153 ? 5 : 0);
  const aspect = version > 140 && has(276) ? view.getFloat32(272) : 1;
  return {
    scale: version > 106 ? view.getFloat64(160) : 0,
    unit: UNITS[unit - 5],
    aspect: Number.isFinite(aspect) && aspect > 0 ? 1 / aspect : 1,
    slices: has(262) ? Math.max(1, view.getInt16(260)) : 1,
    sliceSpacing: has(266) ? view.getFloat32(262) : 0,
    frameInterval: has(272) ? view.getFloat32(268) : 0,
  };
}

function arrange(context: FlavorContext): Arrangement | undefined {
  const { file, page, warnings } = context;
  const header = headerOf(page);
  if (!header) {
    warnings.push('the NIH Image header is damaged; it is not used');
    return undefined;
  }
  const { count, run } = countPlanes(file, page, header.slices);
  const own: string[] = [];
  if (count !== header.slices) own.push(`NIH Image says ${header.slices} slices, the file holds ${count}`);
  return {
    scenes: [sceneOf(page, header, count, own)],
    locate: ({ channel, z }) => {
      if (!run) return { file, page: file.page(z), sample: channel };
      return { file, page, sample: channel, dataOffset: run.offset + z * run.planeBytes };
    },
  };
}

function headerOf(page: TiffPage): NihHeader | undefined {
  try {
    const bytes = page.bytes(NIH_HEADER);
    return bytes && bytes.length >= HEADER_BYTES ? parseNihHeader(bytes) : undefined;
  } catch (error) {
    if (error instanceof AcqError) return undefined;
    throw error;
  }
}

function sceneOf(page: TiffPage, header: NihHeader, count: number, warnings: string[]): SceneInfo {
  const size = header.scale > 0 ? 1 / header.scale : undefined;
  const length = (value: number | undefined, what: string, fallback: 'Pixels' | 'Planes') =>
    fileStep(value, header.unit, { what: `NIH Image ${what}`, warnings, fallback, expect: 'micrometer' });
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
    ...(parseDateTime(textOf(page, DATE_TIME)) ?? NO_CLOCK),
    reference: null,
    warnings,
  };
}
