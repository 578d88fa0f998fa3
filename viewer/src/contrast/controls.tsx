import { LUTS } from '../luts/luts.ts';
import {
  change,
  LEAST_GAMMA,
  MOST_GAMMA,
  type Reach,
  reset,
  sameForAll,
  setAuto,
  setEnd,
  setFull,
  setGamma,
} from './adjust.ts';
import { LutStrip } from './lut-strip.tsx';
import { NumberField } from './number-field.tsx';
import { factText } from './number-text.ts';

export function Ends({ reach, step }: { readonly reach: Reach; readonly step: number }) {
  const { name, display } = reach.channel;
  const { min, max } = display.value;
  const field = { step };
  return (
    <div class="contrast-row contrast-ends">
      <NumberField
        {...field}
        label="Min"
        fullLabel={`Minimum value of ${name}`}
        value={min}
        set={(value) => setEnd(reach, 'min', value)}
      />
      <NumberField
        {...field}
        label="Max"
        fullLabel={`Maximum value of ${name}`}
        value={max}
        set={(value) => setEnd(reach, 'max', value)}
      />
    </div>
  );
}

export function Buttons({ reach, counted }: { readonly reach: Reach; readonly counted: boolean }) {
  const { pane, channel } = reach;
  const of = (does: string) => `${does}: ${channel.name}`;
  return (
    <>
      <button type="button" disabled={!counted} aria-label={of('Auto contrast')} onClick={() => setAuto(reach)}>
        Auto
      </button>
      <button type="button" disabled={!counted} aria-label={of('Full range')} onClick={() => setFull(reach)}>
        Full
      </button>
      <button type="button" aria-label={of('Reset contrast')} onClick={() => reset(reach)}>
        Reset
      </button>
      {pane.channels.length > 1 && (
        <button type="button" aria-label={of('Same for all')} onClick={() => sameForAll(pane, channel)}>
          Same for all
        </button>
      )}
    </>
  );
}

export function Table({ reach: { channel } }: { readonly reach: Reach }) {
  const { lut, invert } = channel.display.value;
  return (
    <div class="contrast-row">
      <select
        aria-label={`Colors of ${channel.name}`}
        value={lut}
        onChange={(event) => change(channel, { lut: event.currentTarget.value })}
      >
        {LUTS.map(({ id, label }) => (
          <option key={id} value={id}>
            {label}
          </option>
        ))}
      </select>
      <LutStrip lut={lut} invert={invert} />
      <label class="contrast-check">
        <input
          type="checkbox"
          checked={invert}
          aria-label={`Invert ${channel.name}`}
          onChange={(event) => change(channel, { invert: event.currentTarget.checked })}
        />
        Invert
      </label>
    </div>
  );
}

/** The slider is logarithmic: as far from 1 to 5 as to 1/5. Its steps hit 1. */
export function Gamma({ reach }: { readonly reach: Reach }) {
  const { name, display } = reach.channel;
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
        aria-valuetext={factText(gamma)}
        value={Math.log(gamma) / Math.log(MOST_GAMMA)}
        onInput={(event) => {
          const power = MOST_GAMMA ** event.currentTarget.valueAsNumber;
          setGamma(reach, Number(Math.max(LEAST_GAMMA, power).toPrecision(3)));
        }}
        onDblClick={() => setGamma(reach, 1)}
      />
      <NumberField
        label=""
        fullLabel={`Gamma of ${name}`}
        value={gamma}
        step={0.05}
        set={(value) => setGamma(reach, value)}
      />
    </div>
  );
}

export function Opacity({ reach: { channel } }: { readonly reach: Reach }) {
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
