/** What the OME-XML of Bruker Prairie View says wrongly. It is read when the recording's own XML is not there. */
import type { SceneInfo } from '../../../acquisition.js';
import { defaultStep } from '../../../metadata/steps.js';
import type { TiffPage } from '../../../tiff/types.js';
import { textOf } from '../soft-tags.js';
import type { RawOme } from './ome-xml.js';

const SOFTWARE = 305;

/** Whether the planes are those of a line scan; the OME-XML itself does not tell. */
export function isPrairieLineScan(page: TiffPage, name: string, { images }: RawOme): boolean {
  if (!/prairie view/i.test(textOf(page, SOFTWARE))) return false;
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
