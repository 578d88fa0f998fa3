import { fileName } from '../export/file-name.ts';
import { useSaving } from '../export/saving.ts';
import type { AcquisitionDocument, Mark, Pane } from '../model/document.ts';
import { pickRois } from './pick-rois.ts';

interface RoiButtonsProps {
  readonly document: AcquisitionDocument;
  readonly pane: Pane;
  /** The marks in the order of the table. */
  readonly order: readonly Mark[];
}

/** Saves marks as ROIs of ImageJ, and adds those of files. What they need is loaded when they are used. */
export function RoiButtons({ document, pane, order }: RoiButtonsProps) {
  const { said, save: saveFile } = useSaving();
  const save = () => {
    const { name } = document.info.peek().source;
    const ending = order.length === 1 ? 'roi' : 'RoiSet.zip';
    return saveFile(fileName(name, { kind: pane.kind, channel: null }, ending), async () => {
      const { roiFile } = await import('../rois/roi-files.ts');
      return roiFile(order);
    });
  };
  const add = () =>
    pickRois(async (files) => {
      const { addRois } = await import('../rois/roi-files.ts');
      said.value = await addRois(files, document, pane);
    });
  return (
    <>
      <span role="status" class="measure-muted">
        {said}
      </span>
      <button type="button" title="Add ROIs of ImageJ as marks (.roi, RoiSet.zip)" onClick={add}>
        Add ROIs…
      </button>
      <button
        type="button"
        disabled={order.length === 0}
        aria-label="Save marks as ROIs of ImageJ"
        title="For the ROI manager of ImageJ"
        onClick={() => void save()}
      >
        ROIs
      </button>
    </>
  );
}
