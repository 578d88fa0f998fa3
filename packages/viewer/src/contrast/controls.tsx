import { isCounted, isLoaded } from '../model/document.ts';
import { formatNumber } from '../model/number-text.ts';
import {
  applyToAll,
  type ContrastTarget,
  change,
  MAX_GAMMA,
  MIN_GAMMA,
  reset,
  setAuto,
  setAutoOfPlane,
  setEnd,
  setFileRange,
  setFull,
  setGamma,
  setScale,
} from './adjust.ts';
import { NumberField } from './number-field.tsx';

export function Ends({ target, step }: { readonly target: ContrastTarget; readonly step: number }) {
  const { name, display } = target.channel;
  const { min, max } = display.value;
  const field = { step, known: isLoaded(target.channel) };
  return (
    <div class="contrast-row contrast-ends">
      <NumberField
        {...field}
        label="Min"
        fullLabel={`Minimum value of ${name}`}
        value={min}
        set={(value) => setEnd(target, 'min', value)}
      />
      <NumberField
        {...field}
        label="Max"
        fullLabel={`Maximum value of ${name}`}
        value={max}
        set={(value) => setEnd(target, 'max', value)}
      />
    </div>
  );
}

export function Buttons({ target }: { readonly target: ContrastTarget }) {
  const { pane, channel } = target;
  const counted = isCounted(channel);
  const labelFor = (action: string) => `${action}: ${channel.name}`;
  return (
    <>
      <button
        type="button"
        disabled={!counted && !(channel.stackRange.value && channel.stats.value)}
        aria-label={labelFor('Auto contrast')}
        onClick={() => setAuto(target)}
      >
        Auto
      </button>
      {channel.stackRange.value && (
        <button
          type="button"
          disabled={!counted}
          aria-label={labelFor('Auto contrast of this plane')}
          title="Auto contrast of this plane alone"
          onClick={() => setAutoOfPlane(target)}
        >
          This plane
        </button>
      )}
      <button type="button" disabled={!counted} aria-label={labelFor('Full range')} onClick={() => setFull(target)}>
        Full
      </button>
      {channel.fileRange && (
        <button type="button" aria-label={labelFor('Range of the file')} onClick={() => setFileRange(target)}>
          File
        </button>
      )}
      <button type="button" aria-label={labelFor('Reset contrast')} onClick={() => reset(target)}>
        Reset
      </button>
      {pane.channels.length > 1 && (
        <button type="button" aria-label={labelFor('Apply to all')} onClick={() => applyToAll(pane, channel)}>
          Apply to all
        </button>
      )}
    </>
  );
}

/** A logarithm brightens low values without clipping high ones. */
export function Scale({ target }: { readonly target: ContrastTarget }) {
  const { name, display } = target.channel;
  return (
    <label class="contrast-row contrast-slider">
      <span class="contrast-label">Scale</span>
      <select
        aria-label={`Intensity scale of ${name}`}
        value={display.value.scale}
        onChange={(event) => setScale(target, event.currentTarget.value === 'log' ? 'log' : 'linear')}
      >
        <option value="linear">Linear</option>
        <option value="log">Logarithmic</option>
      </select>
    </label>
  );
}

/** The slider is logarithmic, with 1 in the middle, and its steps include 1. */
export function Gamma({ target }: { readonly target: ContrastTarget }) {
  const { name, display } = target.channel;
  const { gamma } = display.value;
  return (
    <div class="contrast-row contrast-slider">
      <span class="contrast-label" aria-hidden="true">
        Gamma
      </span>
      <input
        type="range"
        min={-1}
        max={1}
        step={0.05}
        aria-label={`Gamma slider of ${name}`}
        aria-valuetext={formatNumber(gamma)}
        value={Math.log(gamma) / Math.log(MAX_GAMMA)}
        onInput={(event) => {
          const power = MAX_GAMMA ** event.currentTarget.valueAsNumber;
          setGamma(target, Number(Math.max(MIN_GAMMA, power).toPrecision(3)));
        }}
        onDblClick={() => setGamma(target, 1)}
      />
      <NumberField
        label=""
        fullLabel={`Gamma of ${name}`}
        value={gamma}
        step={0.05}
        set={(value) => setGamma(target, value)}
      />
    </div>
  );
}

export function Opacity({ target: { channel } }: { readonly target: ContrastTarget }) {
  const { opacity } = channel.display.value;
  const percent = Math.round(100 * opacity);
  return (
    <label class="contrast-row contrast-slider">
      <span class="contrast-label">Opacity</span>
      <input
        type="range"
        min={0}
        max={100}
        aria-label={`Opacity of ${channel.name} in the composite`}
        aria-valuetext={`${percent} %`}
        value={percent}
        onInput={(event) => change(channel, { opacity: event.currentTarget.valueAsNumber / 100 })}
      />
      <span class="contrast-value">{percent} %</span>
    </label>
  );
}
