import type { Interpretation } from '@acquisition-store/client/contract/interpretation.js';
import { useState } from 'preact/hooks';
import { formatNumber } from '../model/number-text.ts';
import {
  AXIS_WORDS,
  axesOf,
  axesWords,
  type CountedAxis,
  fitPlanes,
  MEANINGS,
  type Meaning,
  meaningOf,
  planeCounts,
  toRequestedAxes,
} from '../stack/interpret.ts';
import { usePage } from './context.ts';
import { Dialog } from './dialog.tsx';
import type { Tab } from './tab.ts';

/** Says what the planes of the shown file are: time points, sections, channels, or several of these. */
export function PlanesDialog({ tab }: { readonly tab: Tab }) {
  const { dialog, workspace } = usePage();
  const info = tab.document.info.value;
  const counts = planeCounts(info);
  const [meaning, setMeaning] = useState<Meaning>(() => meaningOf(counts));
  const [sizes, setSizes] = useState(counts);
  const [fastest, setFastest] = useState<CountedAxis>(() => info.interpret?.order?.at(-1) ?? 'C');
  const [first, ...others] = axesOf(meaning) as [CountedAxis, ...CountedAxis[]];
  const axes = [first, ...others];
  const last = axes.includes(fastest) ? fastest : (axes.at(-1) ?? first);
  const fit = fitPlanes(meaning, sizes, counts);
  const apply = (interpret: Interpretation | null) => {
    dialog.value = null;
    void workspace.interpret(tab, interpret);
  };
  const submit = (event: Event) => {
    event.preventDefault();
    if (typeof fit !== 'string') apply(toRequestedAxes(meaning, fit, last));
  };
  return (
    <Dialog title={`Planes of ${info.source.name}`}>
      <form class="app-calibration" onSubmit={submit}>
        <label>
          <span>Planes are</span>
          <select value={meaning} onChange={(event) => setMeaning(event.currentTarget.value as Meaning)}>
            {MEANINGS.map((one) => (
              <option key={one} value={one}>
                {axesWords(axesOf(one))}
              </option>
            ))}
          </select>
        </label>
        {others.map((axis) => (
          <label key={axis}>
            <span>{`Number of ${AXIS_WORDS[axis]}`}</span>
            <input
              type="number"
              min="1"
              step="1"
              value={sizes[axis]}
              onInput={(event) => setSizes({ ...sizes, [axis]: event.currentTarget.valueAsNumber })}
            />
          </label>
        ))}
        {others.length > 0 && (
          <label>
            <span>The next plane is</span>
            <select value={last} onChange={(event) => setFastest(event.currentTarget.value as CountedAxis)}>
              {axes.map((axis) => (
                <option key={axis} value={axis}>{`the next of the ${AXIS_WORDS[axis]}`}</option>
              ))}
            </select>
          </label>
        )}
        <p role="status">
          {typeof fit === 'string'
            ? fit
            : axes.map((axis) => `${formatNumber(fit[axis])} ${AXIS_WORDS[axis]}`).join(' × ')}
        </p>
        <p class="app-muted">
          An axis that becomes another one has no step; enter one with Calibrate… A link keeps what you choose.
        </p>
        <div class="app-calibration-buttons">
          <button type="submit" class="primary" disabled={typeof fit === 'string'}>
            Apply
          </button>
          {info.interpret && (
            <button type="button" onClick={() => apply(null)}>
              Use the axes of the file
            </button>
          )}
        </div>
      </form>
    </Dialog>
  );
}
