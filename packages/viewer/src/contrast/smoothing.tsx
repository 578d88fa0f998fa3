import { isSmoothable } from '../image/smoothed.ts';
import { MAX_SIGMA, MIN_SIGMA, type Smoothing } from '../model/display.ts';
import type { Pane } from '../model/document.ts';
import { NumberField } from './number-field.tsx';

/** Smooths the images of a pane. Samples, statistics and files of numbers stay as they are. */
export function SmoothingChoice({ pane }: { readonly pane: Pane }) {
  const { kind, sigma, alongTime = false } = pane.smoothing.value;
  const possible = isSmoothable(pane);
  const set = (patch: Partial<Smoothing>) => {
    pane.smoothing.value = { ...pane.smoothing.value, ...patch };
  };
  return (
    <div class="contrast-row contrast-slider contrast-smoothing">
      <label class="contrast-row">
        <span class="contrast-label">Smooth</span>
        <select
          aria-label="Smoothing of the images"
          title={
            possible
              ? 'Display only: measured and saved values stay the samples'
              : 'The page smooths planes that it holds as a whole, of up to 134 million samples'
          }
          disabled={!possible}
          value={kind}
          onChange={(event) => {
            const { value } = event.currentTarget;
            set({ kind: value === 'median' || value === 'gaussian' ? value : 'none' });
          }}
        >
          <option value="none">{possible ? 'No' : 'Not for planes this large'}</option>
          <option value="median">{alongTime ? 'Median of 3 lines' : 'Median 3 × 3'}</option>
          <option value="gaussian">Gaussian</option>
        </select>
      </label>
      {kind !== 'none' && pane.lineScan && (
        <label class="contrast-check">
          <input
            type="checkbox"
            checked={alongTime}
            onChange={(event) => set({ alongTime: event.currentTarget.checked })}
          />{' '}
          Along time only
        </label>
      )}
      {kind === 'gaussian' && (
        <NumberField
          label="σ"
          fullLabel="Standard deviation of the Gaussian in samples"
          value={sigma}
          step={0.1}
          set={(value) => set({ sigma: Math.min(MAX_SIGMA, Math.max(MIN_SIGMA, value)) })}
        />
      )}
    </div>
  );
}
