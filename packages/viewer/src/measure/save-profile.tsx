import type { ReadonlySignal } from '@preact/signals';
import { columnsCsv } from '../export/csv.ts';
import type { AcquisitionDocument, Pane } from '../model/document.ts';
import { paneNote } from '../model/hand-note.ts';
import { curveColumns } from './curve-table.ts';
import type { Curves } from './curves.ts';
import { SaveCsv } from './save-csv.tsx';

interface SaveProfileProps {
  readonly document: AcquisitionDocument;
  readonly pane: Pane;
  readonly curves: ReadonlySignal<Curves | null>;
}

/** The button that saves the current profile as CSV. */
export function SaveProfile({ document, pane, curves }: SaveProfileProps) {
  const now = curves.value;
  return (
    <SaveCsv
      document={document}
      pane={pane}
      ending={`${now?.along === 'row' ? 'across' : 'along'}-profile.csv`}
      text={now && (() => columnsCsv(curveColumns(pane, now), paneNote(document, pane)))}
    />
  );
}
