import { useSignal } from '@preact/signals';
import { estimateLinePhase, MAX_PHASE } from '../analysis/line-phase.ts';
import { isSmoothable } from '../image/smoothed.ts';
import type { Pane } from '../model/document.ts';
import { NumberField } from './number-field.tsx';

/** Moves every second line of the pictures, which a bidirectional scan has recorded on the way back. */
export function LinePhase({ pane }: { readonly pane: Pane }) {
  const said = useSignal('');
  const phase = pane.smoothing.value.linePhase ?? 0;
  if (!isSmoothable(pane) || pane.shape[0] < 4) return null;
  const set = (value: number) => {
    const linePhase = Math.min(MAX_PHASE, Math.max(-MAX_PHASE, Number(value.toFixed(1))));
    const { linePhase: _before, ...rest } = pane.smoothing.value;
    pane.smoothing.value = linePhase === 0 ? rest : { ...rest, linePhase };
    said.value = '';
  };
  const estimate = () => {
    const channel = pane.channels.find(({ display, data }) => display.value.visible && data.value !== null);
    const found = channel?.data.value ? estimateLinePhase(channel.data.value, pane.shape) : null;
    if (found !== null) set(found);
    said.value = found === null ? 'The lines do not tell it.' : '';
  };
  return (
    <div
      class="contrast-row contrast-phase"
      title="For scans in both directions. Display only: measured and saved values stay the samples"
    >
      <NumberField
        label="Line phase"
        fullLabel="Line phase in samples: how far every second line is moved"
        value={phase}
        step={0.1}
        set={set}
      />
      <button type="button" class="contrast-small" onClick={estimate}>
        Estimate
      </button>
      <span class="app-muted" role="status">
        {said}
      </span>
    </div>
  );
}
