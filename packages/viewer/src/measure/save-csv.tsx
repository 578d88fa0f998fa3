import './measure.css';
import { fileName } from '../export/file-name.ts';
import { useSaving } from '../export/saving.ts';
import type { AcquisitionDocument, Pane } from '../model/document.ts';

interface SaveCsvProps {
  readonly document: AcquisitionDocument;
  readonly pane: Pane;
  /** Null for values of several channels. */
  readonly channel?: number | null;
  /** What the name of the file ends with. */
  readonly ending: string;
  readonly label?: string;
  /** Returns the file; null while there is nothing to save. */
  readonly text: (() => string) | null;
}

/** The button that saves the values of a plot. */
export function SaveCsv({ document, pane, channel = null, ending, label = 'Save CSV', text }: SaveCsvProps) {
  const { said, save } = useSaving();
  const act = () => {
    if (text === null) return;
    const name = fileName(document.info.peek().source.name, { kind: pane.kind, channel }, ending);
    void save(name, () => new Blob([text()], { type: 'text/csv' }));
  };
  return (
    <>
      <span role="status" class="measure-failed">
        {said}
      </span>
      <button type="button" class="quiet" disabled={text === null} onClick={act}>
        {label}
      </button>
    </>
  );
}
