/** How NIS-Elements displays a channel: its color, its kind of light, and the value range of its LUT. */
import { bgrColor, type ChannelDisplay } from '../../model/metadata/colors.js';
import type { RawPicture } from './parse.js';
import type { VariantLevel } from './variant.js';

/** Bits of `uiModalityMask`. */
const MODALITY = { fluorescence: 0x1, brightfield: 0x2, transmitDetector: 0x100_0000 };

/** Returns the color and the kind of light of a picture plane. */
export function planeDisplay({ color, modality = 0 }: RawPicture['planes'][number]): ChannelDisplay {
  const { fluorescence, brightfield, transmitDetector } = MODALITY;
  const isBright = (modality & brightfield) !== 0 && (modality & fluorescence) === 0;
  const isTransmitted = isBright || (modality & transmitDetector) !== 0;
  return { color: bgrColor(color), role: isTransmitted ? 'transmitted' : undefined };
}

/**
 * Returns the LUT range of each component of a frame (`CustomDataVar|LUTDataV1_0!`). A single component has its range
 * at the top level. Empty when LUTs are switched off, or when their number does not match `components`.
 */
export function lutWindows(tree: VariantLevel | undefined, components: number): ChannelDisplay['window'][] {
  const lut = tree?.level('m_sLutParam');
  if (!lut || tree?.number('m_bViewLut') !== 1 || lut.number('uiLutComponentCount') !== components) return [];
  const luts = components === 1 ? [lut] : (lut.level('sCompLutParam')?.levels() ?? []);
  return luts.slice(0, components).map((component) => {
    const [start, end] = [component.number('uiMinSrc'), component.number('uiMaxSrc')];
    return start === undefined || end === undefined ? undefined : { start, end };
  });
}
