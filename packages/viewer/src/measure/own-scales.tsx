import type { ReadonlySignal } from '@preact/signals';
import type { Pane } from '../model/document.ts';
import type { Curves } from './curves.ts';

/** The switch between a scale for each channel and one for all; absent for a single channel. */
export function OwnScales({ pane, curves }: { readonly pane: Pane; readonly curves: ReadonlySignal<Curves | null> }) {
  if ((curves.value?.curves.length ?? 0) < 2) return null;
  return (
    <button
      type="button"
      class="quiet"
      aria-pressed={pane.ownScales.value}
      title="Give each channel its own scale, so that a weak one is not flat"
      onClick={() => {
        pane.ownScales.value = !pane.ownScales.value;
      }}
    >
      Own scales
    </button>
  );
}
