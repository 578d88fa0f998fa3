import type { ReadonlySignal } from '@preact/signals';
import { fileName } from '../export/file-name.ts';
import { useSaving } from '../export/saving.ts';
import type { AcquisitionDocument, Mark, Pane } from '../model/document.ts';
import { paneNote } from '../model/hand-note.ts';
import type { MeansByMark } from './follow-means.ts';
import { marksJson, marksText } from './mark-records.ts';
import { RoiButtons } from './roi-buttons.tsx';

interface SaveMarksProps {
  readonly document: AcquisitionDocument;
  readonly pane: Pane;
  readonly means: ReadonlySignal<MeansByMark>;
  /** The marks in the order of the table. */
  readonly order: readonly Mark[];
  copy(text: string): Promise<boolean>;
}

/** Buttons that copy the table of marks or save it. */
export function SaveMarks({ document, pane, means, order, copy }: SaveMarksProps) {
  const { said, save: saveFile } = useSaving();
  const byHand = paneNote(document, pane);
  const save = (ending: string, type: string, text: () => string) => {
    const name = fileName(document.info.peek().source.name, { kind: pane.kind, channel: null }, ending);
    return saveFile(name, () => new Blob([text()], { type }));
  };
  const copyTable = async () => {
    const done = await copy(marksText(order, pane, means.peek(), '\t', byHand));
    said.value = done ? `Copied ${order.length} rows` : 'The browser did not allow copying';
  };
  const none = order.length === 0;
  return (
    <span class="measure-buttons marks-buttons">
      <span role="status" class="measure-muted">
        {said}
      </span>
      <button type="button" disabled={none} title="Copy for a spreadsheet" onClick={() => void copyTable()}>
        Copy
      </button>
      <button
        type="button"
        disabled={none}
        aria-label="Save marks as CSV"
        onClick={() => void save('marks.csv', 'text/csv', () => marksText(order, pane, means.peek(), ',', byHand))}
      >
        CSV
      </button>
      <button
        type="button"
        disabled={none}
        aria-label="Save marks as JSON"
        onClick={() =>
          void save('marks.json', 'application/json', () =>
            marksJson(order, pane, means.peek(), document.info.peek(), byHand),
          )
        }
      >
        JSON
      </button>
      <RoiButtons document={document} pane={pane} order={order} />
    </span>
  );
}
