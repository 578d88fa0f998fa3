/** TIFFs of Bruker Prairie View, where the recording's own XML is not there or does not name them. */
import type { ChannelInfo, SceneInfo } from '../../../acquisition.js';
import { NO_CLOCK, parseDateTime, type WallClock } from '../../../metadata/dates.js';
import { withoutPlaceholder } from '../../../metadata/prairie.js';
import { defaultStep } from '../../../metadata/steps.js';
import type { TiffPage } from '../../../tiff/types.js';
import { textOf } from '../soft-tags.js';
import type { RawOme } from './ome-xml.js';

const SOFTWARE = 305;
const DATE_TIME = 306;

/** The channel in the name of a source image, a reference, or a plane: `…-Cycle00001_Ch2Source.tif`, `…-Ch2-16bit-Reference.tif`. */
const CHANNEL = /(Ch\d+)(?:Source|-16bit-Reference|-LinescanReference|_\d+)(?:\.ome)?\.tiff?$/i;
/** With the number of the cycle, a name that only Prairie View gives: other programs that save the image drop its tags. */
const CYCLE = /-Cycle\d+[_-]Ch\d+(?:Source|-16bit-Reference)/i;

export function isPrairie(page: TiffPage): boolean {
  return /prairie view/i.test(textOf(page, SOFTWARE));
}

/** Whether the planes are those of a line scan; the OME-XML itself does not tell. */
export function isPrairieLineScan(page: TiffPage, name: string, { images }: RawOme): boolean {
  if (!isPrairie(page)) return false;
  const names = [
    name,
    ...images.slice(0, 1).flatMap(({ pixels }) => pixels.files.slice(0, 1).map((file) => file.name)),
  ];
  return names.some((one) => /^linescan/i.test(one ?? ''));
}

/** Rows of a line scan are lines in time, and `PhysicalSizeY` is the width of a pixel all the same. */
export function withoutRowSteps(scene: SceneInfo): void {
  if (scene.steps.Y.unit !== 'micrometer') return;
  scene.steps.Y = defaultStep('Pixels');
  scene.warnings.push(
    'The rows are the lines of a line scan of Prairie View, and the time between them is told by the .xml of the ' +
      'recording, which is not beside this file: Y is in Pixels. Copy the .xml there and open it again.',
  );
}

/** The file of one channel says in its name which one. `undefined` for other files. */
export function prairieChannels(page: TiffPage, name: string): ChannelInfo[] | undefined {
  const channel = CHANNEL.exec(name)?.[1];
  if (channel === undefined || page.layout.samplesPerPixel > 1) return undefined;
  if (!isPrairie(page) && !CYCLE.test(name)) return undefined;
  return [{ name: channel }];
}

/** Date and time of a file of Prairie View; the TIFF's own, the end of its frame, where `stated` is a placeholder. */
export function prairieClock(page: TiffPage, stated: WallClock): WallClock {
  return withoutPlaceholder(stated) ?? withoutPlaceholder(parseDateTime(textOf(page, DATE_TIME))) ?? NO_CLOCK;
}
