/** ROIs of ImageJ that are dropped on the page or opened: they are added to the image that is shown. */
import type { ReadonlySignal } from '@preact/signals';
import type { DroppedFile } from '../files/dropped.ts';
import { isRoiName, pickRois } from '../measure/pick-rois.ts';
import type { Notices } from './notices.ts';
import type { Tab } from './tab.ts';

/** The parts of the workspace that are needed. */
interface RoiTarget {
  readonly active: ReadonlySignal<Tab | null>;
  readonly notices: Notices;
}

/** Adds the ROIs among dropped files to the shown image, and returns the other files. */
export async function takeRois(
  dropped: Promise<readonly DroppedFile[]>,
  target: RoiTarget,
): Promise<readonly DroppedFile[]> {
  const files = await dropped;
  if (!files.some(({ path }) => isRoiName(path) || /\.zip$/i.test(path))) return files;
  const { isRoiFile } = await import('../rois/roi-files.ts');
  const known = await Promise.all(files.map(({ data }) => isRoiFile(data)));
  const rois = files.filter((_, i) => known[i]).map(({ data }) => data);
  if (rois.length > 0) await add(rois, target);
  return files.filter((_, i) => !known[i]);
}

async function add(rois: readonly File[], { active, notices }: RoiTarget): Promise<void> {
  const document = active.peek()?.document;
  if (document === undefined) {
    notices.show({
      message: 'ROIs are added to the image that is shown.',
      hint: 'Open an image, then drop them again.',
    });
    return;
  }
  const { addRois } = await import('../rois/roi-files.ts');
  notices.show({ message: await addRois(rois, document, document.pane.peek()) });
}

/** Says how ROIs get to an image: the page can read files that are dropped or chosen, not those of a path. */
export function explainRois(target: RoiTarget): void {
  const isOpen = target.active.peek() !== null;
  target.notices.show({
    message: 'A ROI is added to the image that is shown.',
    hint: isOpen ? 'Drop it on the page, or choose it.' : 'Open an image first.',
    action: isOpen ? { label: 'Add ROIs…', run: () => pickRois((files) => add(files, target)) } : null,
  });
}
