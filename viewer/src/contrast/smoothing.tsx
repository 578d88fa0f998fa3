import { canSmooth, MAX_SMOOTHED } from '../image/smoothed.ts';
import { MAX_SIGMA, MIN_SIGMA, type Smoothing } from '../model/display.ts';
import type { Pane } from '../model/document.ts';
import { formatNumber } from '../model/number-text.ts';
import { NumberField } from './number-field.tsx';

/** Smooths the images of a pane. Samples, statistics and files of numbers stay as they are. */
export function SmoothingChoice({ pane }: { readonly pane: Pane }) {
  const { kind, sigma } = pane.smoothing.value;
  const possible = canSmooth(pane);
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
              : `Images above ${formatNumber(MAX_SMOOTHED, 9)} samples are not smoothed`
          }
          disabled={!possible}
          value={kind}
          onChange={(event) => {
            const { value } = event.currentTarget;
            set({ kind: value === 'median' || value === 'gaussian' ? value : 'none' });
          }}
        >
          <option value="none">No</option>
          <option value="median">Median 3 × 3</option>
          <option value="gaussian">Gaussian</option>
        </select>
      </label>
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
