import { type ReadonlySignal, useSignal } from '@preact/signals';
import { columnsCsv } from '../export/csv.ts';
import { fileName } from '../export/file-name.ts';
import { chooseDestination } from '../export/save.ts';
import type { AcquisitionDocument, Pane } from '../model/document.ts';
import { paneNote } from '../model/hand-note.ts';
import { curveColumns } from './curve-table.ts';
import type { Curves } from './curves.ts';

interface SaveProfileProps {
  readonly document: AcquisitionDocument;
  readonly pane: Pane;
  readonly curves: ReadonlySignal<Curves | null>;
}

/** The button that saves the current profile as CSV. */
export function SaveProfile({ document, pane, curves }: SaveProfileProps) {
  const failed = useSignal('');
  const save = async () => {
    const now = curves.peek();
    if (now === null) return;
    failed.value = '';
    const { name } = document.info.peek().source;
    const ending = `${now.along === 'row' ? 'across' : 'along'}-profile.csv`;
    try {
      const destination = await chooseDestination(fileName(name, { kind: pane.kind, channel: null }, ending));
      await destination?.write(
        new Blob([columnsCsv(curveColumns(pane, now), paneNote(document, pane))], { type: 'text/csv' }),
      );
    } catch (error) {
      failed.value = `Not saved: ${(error as Error).message}`;
    }
  };
  return (
    <>
      <span role="status" class="measure-failed">
        {failed}
      </span>
      <button type="button" class="quiet" disabled={curves.value === null} onClick={save}>
        Save CSV
      </button>
    </>
  );
}
