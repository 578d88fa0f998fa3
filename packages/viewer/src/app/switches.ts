/** Remembers the last switches of panes, separately for line scans, images and references. */
import { effect, type ReadonlySignal } from '@preact/signals';
import type { AcquisitionDocument, Pane } from '../model/document.ts';
import { readStored, writeStored } from './stored.ts';

const SWITCHES = ['axes', 'scaleBar', 'composite', 'linked', 'physicalAspect'] as const;

function storageKey({ kind, lineScan, colorImage, startsComposite }: Pane): string {
  // What starts as a composite must not become the habit for what does not, such as transmitted light.
  const start = colorImage ? 'color-' : startsComposite ? 'composite-' : '';
  return `switches.${start}${kind === 'source' && lineScan ? 'line-scan' : kind}`;
}

const listPanes = ({ source, reference }: AcquisitionDocument) =>
  [source.value, reference.value].filter((pane) => pane !== null);

/** Applies the remembered switches to an acquisition that was opened without a view. */
export function recallSwitches(document: AcquisitionDocument): void {
  for (const pane of listPanes(document)) {
    const stored = readStored(storageKey(pane));
    if (typeof stored !== 'object' || stored === null) continue;
    for (const name of SWITCHES) {
      const value = (stored as Record<string, unknown>)[name];
      if (typeof value === 'boolean') pane[name].value = value;
    }
  }
}

/** Stores the switches of the shown acquisition whenever they change. */
export function rememberSwitches(shown: ReadonlySignal<AcquisitionDocument | null>): void {
  effect(() => {
    if (shown.value === null) return;
    for (const pane of listPanes(shown.value)) {
      writeStored(storageKey(pane), Object.fromEntries(SWITCHES.map((name) => [name, pane[name].value])));
    }
  });
}
