/** TIFFs of Bruker Prairie View whose XML is missing, or does not list them. */
import type { ChannelInfo, SceneInfo } from '../../../model/acquisition.js';
import { NO_CLOCK, parseDateTime, type WallClock } from '../../../model/metadata/dates.js';
import type { RawOme } from '../../../model/metadata/ome-document.js';
import { withoutPlaceholder } from '../../../model/metadata/prairie.js';
import { defaultStep } from '../../../model/metadata/steps.js';
import { TAG } from '../../../tiff/tags.js';
import type { TiffPage } from '../../../tiff/types.js';
import { readText } from '../parse.js';

/** The channel in the name of a source image, a reference, or a plane: `…-Cycle00001_Ch2Source.tif`, `…-Ch2-16bit-Reference.tif`. */
const CHANNEL = /(Ch\d+)(?:Source|-16bit-Reference|-LinescanReference|_\d+)(?:\.ome)?\.tiff?$/i;
/** A name with the cycle number, which only Prairie View gives. Other programs that save the image drop its tags. */
const CYCLE = /-Cycle\d+[_-]Ch\d+(?:Source|-16bit-Reference)/i;

export function isPrairie(page: TiffPage): boolean {
  return /prairie view/i.test(readText(page, TAG.software));
}

/** True if the planes belong to a line scan, which the OME-XML itself does not say. */
export function isPrairieLineScan(page: TiffPage, name: string, { images }: RawOme): boolean {
  if (!isPrairie(page)) return false;
  const firstFile = images[0]?.pixels.files[0]?.name;
  return [name, firstFile].some((file) => /^linescan/i.test(file ?? ''));
}

/** Returns a scene without its Y step: rows of a line scan are lines in time, but `PhysicalSizeY` is the width of a pixel. */
export function withoutRowStep(scene: SceneInfo): SceneInfo {
  if (scene.steps.Y.unit !== 'micrometer') return scene;
  const warning =
    'The rows are the lines of a Prairie View line scan. Their period is in the .xml of the recording, which is missing, ' +
    'so Y is in pixels. Copy the .xml into the same folder and open the file again.';
  return {
    ...scene,
    steps: { ...scene.steps, Y: defaultStep('Pixels') },
    warnings: [...scene.warnings, warning],
  };
}

/** Returns the channel that the file name contains, or `undefined` for other files. */
export function prairieChannels(page: TiffPage, name: string): ChannelInfo[] | undefined {
  const channel = CHANNEL.exec(name)?.[1];
  if (channel === undefined || page.layout.samplesPerPixel > 1) return undefined;
  if (!isPrairie(page) && !CYCLE.test(name)) return undefined;
  return [{ name: channel }];
}

/** Returns the date and time of a Prairie View file. If `clock` is a placeholder, the end of the frame from DateTime. */
export function prairieClock(page: TiffPage, clock: WallClock): WallClock {
  return withoutPlaceholder(clock) ?? withoutPlaceholder(parseDateTime(readText(page, TAG.dateTime))) ?? NO_CLOCK;
}
