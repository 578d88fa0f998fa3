import type { Pane } from '../model/document.ts';
import { formatNumber } from '../model/number-text.ts';
import './image.css';
import { activeCard, cardView, frameOf, paneState } from './pane-state.ts';
import { planeAxes } from './plane-axes.ts';
import { cursorSample, formatAxisValue } from './readout.ts';
import { magnification } from './viewport.ts';

/** The sample under the cursor: its position, in samples and calibrated, and its value in every channel. */
export function CursorReadout({ pane }: { readonly pane: Pane }) {
  const sample = cursorSample(pane);
  if (sample === null) return <span class="image-readout image-readout-idle">{idleWords(pane)}</span>;
  return (
    <span class="image-readout">
      <span class="image-readout-place">{sample.position}</span>
      {sample.calibrated && <span class="image-readout-calibrated">{sample.calibrated}</span>}
      {sample.values.map(({ index, name, value }) => (
        <span class="image-readout-value" key={index}>
          <span>{name}</span> <b>{value ?? '–'}</b>
        </span>
      ))}
    </span>
  );
}

/** Returns what there is to say without a sample. Reads signals. */
function idleWords(pane: Pane): string {
  const pause = paneState(pane).pause.value;
  if (pause === null) return 'Point at the image to read its values';
  const { row } = planeAxes(pane);
  return `Not recorded: ${formatAxisValue(pause.from, row)} to ${formatAxisValue(pause.to, row)}`;
}

/** The magnification of the active card: `12×`, or `12× horizontally, 1× vertically` where the axes differ. */
export function ZoomReadout({ pane }: { readonly pane: Pane }) {
  const key = activeCard(pane);
  const view = cardView(pane, key);
  const area = paneState(pane).areas.value.get(key);
  if (view === null || area === undefined) return null;
  const { x, y } = magnification(view, frameOf(pane, area));
  const text = (factor: number) => `${formatNumber(factor, 2)}×`;
  const both = text(x) === text(y) ? text(x) : `${text(x)} horizontally, ${text(y)} vertically`;
  return <span class="image-zoom">zoom {both}</span>;
}
