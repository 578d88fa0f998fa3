/** How NIS-Elements shows a channel: its color, its kind of light, and the range of values of the LUTs. */
import { bgrColor, type ChannelDisplay } from '../../metadata/colors.js';
import type { RawPicture } from './parse.js';
import type { Level } from './variant.js';

/** Bits of `uiModalityMask`. */
const MODALITY = { fluorescence: 0x1, brightfield: 0x2, transmitDetector: 0x100_0000 };

export function planeDisplay({ color, modality = 0 }: RawPicture['planes'][number]): ChannelDisplay {
  const { fluorescence, brightfield, transmitDetector } = MODALITY;
  const isBright = (modality & brightfield) !== 0 && (modality & fluorescence) === 0;
  const isTransmitted = isBright || (modality & transmitDetector) !== 0;
  return { color: bgrColor(color), role: isTransmitted ? 'transmitted' : undefined };
}

/**
 * Ranges of the LUTs (`CustomDataVar|LUTDataV1_0!`) by component of a frame; one component has its range at the top.
 * Empty when LUTs are switched off, or are those of another number of components.
 */
export function lutWindows(tree: Level | undefined, components: number): ChannelDisplay['window'][] {
  const lut = tree?.level('m_sLutParam');
  if (!lut || tree?.number('m_bViewLut') !== 1 || lut.number('uiLutComponentCount') !== components) return [];
  const own = components === 1 ? [lut] : (lut.level('sCompLutParam')?.levels() ?? []);
  return own.slice(0, components).map((component) => {
    const [start, end] = [component.number('uiMinSrc'), component.number('uiMaxSrc')];
    return start === undefined || end === undefined ? undefined : { start, end };
  });
}
