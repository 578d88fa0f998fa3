/** The switches of panes as they were last left: of line scans, of images and of references, each on its own. */
import { effect, type ReadonlySignal } from '@preact/signals';
import type { AcquisitionDocument, Pane } from '../model/document.ts';
import { readStored, writeStored } from './stored.ts';

const SWITCHES = ['axes', 'scaleBar', 'composite', 'linked', 'physicalAspect'] as const;

const keyOf = ({ kind, lineScan }: Pane) => `switches.${kind === 'source' && lineScan ? 'line-scan' : kind}`;

const panesOf = ({ source, reference }: AcquisitionDocument) =>
  [source.value, reference.value].filter((pane) => pane !== null);

/** Of what is opened without a view of its own. */
export function recallSwitches(document: AcquisitionDocument): void {
  for (const pane of panesOf(document)) {
    const stored = readStored(keyOf(pane));
    if (typeof stored !== 'object' || stored === null) continue;
    for (const name of SWITCHES) {
      const wanted = (stored as Record<string, unknown>)[name];
      if (typeof wanted === 'boolean') pane[name].value = wanted;
    }
  }
}

/** Remembers those of the acquisition that is looked at. */
export function rememberSwitches(looked: ReadonlySignal<AcquisitionDocument | null>): void {
  effect(() => {
    if (looked.value === null) return;
    for (const pane of panesOf(looked.value)) {
      writeStored(keyOf(pane), Object.fromEntries(SWITCHES.map((name) => [name, pane[name].value])));
    }
  });
}
