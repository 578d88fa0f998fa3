import './measure.css';
import { useComputed } from '@preact/signals';
import { Icon } from '../icons/icon.tsx';
import { imageAreaOf } from '../image/pane-state.ts';
import { layoutOf, planeAxes } from '../image/plane-axes.ts';
import type { AcquisitionDocument, Mark, Pane } from '../model/document.ts';
import { displayToPlane } from '../model/geometry.ts';
import { paneKey } from '../model/pane-key.ts';
import { chooseMode } from '../plot/chart-data.ts';
import { RIGHT_AXIS } from '../plot/u-chart.ts';
import { followCurves } from './curves.ts';
import { profileTitle } from './describe.ts';
import { markListColor } from './mark-colors.ts';
import { MarkDetails } from './mark-details.tsx';
import { markWords } from './mark-table.ts';
import { addMark, clamp, markName, removeMark, selectedMark } from './marks.ts';
import { ProfileChart } from './profile-chart.tsx';
import { SaveProfile } from './save-profile.tsx';
import { toScanPath } from './scan-path.ts';
import { useFollow } from './use-follow.ts';
import { useLast } from './use-last.ts';

/** Sidebar section with the profile across the image, and the regions and lines with their measurements. */
interface MeasurePanelProps {
  readonly document: AcquisitionDocument;
  /** Opens the dialog for steps that the file lacks. */
  onCalibrate(): void;
}

export function MeasurePanel({ document, onCalibrate }: MeasurePanelProps) {
  const pane = document.pane.value;
  const path = toScanPath(document.info.value.reference);
  const missing = pane.kind === 'source' ? missingSteps(pane) : '';
  return (
    <div class="measure-panel">
      {path && (
        <label class="measure-check">
          <input
            type="checkbox"
            checked={document.showScanPath}
            onChange={(event) => {
              document.showScanPath.value = event.currentTarget.checked;
            }}
          />
          Show scan path on the reference
        </label>
      )}
      {missing !== '' && (
        <p class="measure-hint">
          The file has no {missing}.{' '}
          <button type="button" onClick={onCalibrate}>
            Enter it…
          </button>
        </p>
      )}
      <CrossProfile
        key={`${paneKey(pane)} ${pane.orientation.value.transposed}`}
        document={document}
        pane={pane}
        along={pane.orientation.value.transposed ? 'row' : 'column'}
      />
      <Marks key={paneKey(pane)} pane={pane} document={document} />
    </div>
  );
}

/** Returns the steps that are not known, in words. */
function missingSteps(pane: Pane): string {
  const { row, column } = planeAxes(pane);
  const names = [
    row.calibrated ? '' : pane.lineScan ? 'line period' : 'pixel height',
    column.calibrated ? '' : pane.lineScan ? 'pixel size' : 'pixel width',
  ];
  return names.filter((name) => name !== '').join(' and no ');
}

interface CrossProfileProps {
  readonly document: AcquisitionDocument;
  readonly pane: Pane;
  readonly along: 'row' | 'column';
}

/** Space for the vertical axis, and right of the plot, in CSS pixels. */
const LEFT = 44;
const RIGHT = 10;
const HEIGHT = 110;

/** The profile along the vertical axis of the screen. The horizontal one is under the image. */
function CrossProfile({ document, pane, along }: CrossProfileProps) {
  const { curves } = useFollow(() => followCurves(pane, along), [pane, along]);
  const last = useLast(curves);
  const now = last.value;
  const ownScales = chooseMode(now?.curves.length ?? 0, pane.ownScales.value) === 'own';
  return (
    <section class="measure-cross" aria-label="Profile across the image">
      <div class="measure-line">
        <h3>{now ? profileTitle(pane, along, now.subject) : 'Point at the image to see a profile'}</h3>
        <SaveProfile document={document} pane={pane} curves={last} />
      </div>
      <ProfileChart
        pane={pane}
        curves={last}
        screen="y"
        left={LEFT}
        right={ownScales ? RIGHT_AXIS : RIGHT}
        height={HEIGHT}
        isAlone
      />
    </section>
  );
}

function Marks({ document, pane }: { readonly document: AcquisitionDocument; readonly pane: Pane }) {
  const marks = pane.marks.value;
  const selected = useComputed(() => selectedMark(pane)).value;
  return (
    <section class="measure-marks" aria-label="Regions and lines">
      <div class="measure-line">
        <h3>Regions and lines</h3>
        <span class="measure-buttons">
          <button type="button" onClick={() => addInView(pane, 'region')}>
            + Region
          </button>
          <button type="button" onClick={() => addInView(pane, 'line')}>
            + Line
          </button>
        </span>
      </div>
      {marks.length === 0 && (
        <p class="measure-hint">Draw on the image with the tools Region (R) and Line (L), or add one here.</p>
      )}
      <ul>
        {marks.map((mark) => (
          <MarkRow key={mark.id} mark={mark} pane={pane} selected={mark.id === selected?.id} />
        ))}
      </ul>
      {selected && <MarkDetails key={selected.id} document={document} pane={pane} mark={selected} />}
    </section>
  );
}

function MarkRow({ mark, pane, selected }: { readonly mark: Mark; readonly pane: Pane; readonly selected: boolean }) {
  return (
    <li class="measure-mark">
      <button
        type="button"
        class="quiet"
        aria-pressed={selected}
        onClick={() => {
          pane.selectedMark.value = selected ? null : mark.id;
        }}
      >
        <span class="measure-swatch" style={{ background: markListColor(mark) }} />
        {markName(mark)} <span class="measure-muted">{markWords(mark, pane)}</span>
      </button>
      <button
        type="button"
        class="quiet icon"
        aria-label={`Remove ${mark.kind} ${mark.id}`}
        onClick={() => removeMark(pane, mark.id)}
      >
        <Icon name="close" />
      </button>
    </li>
  );
}

/** Adds a mark in the middle of the view, for use without a mouse. */
function addInView(pane: Pane, kind: Mark['kind']): void {
  const view = imageAreaOf(pane).peek()?.view;
  if (view === undefined) return;
  const at = (part: number) => {
    const point = { x: view.x + view.width * part, y: view.y + view.height * part };
    const { row, column } = displayToPlane(point, pane.shape, layoutOf(pane));
    return { row: clamp(Math.round(row), 0, pane.shape[0]), column: clamp(Math.round(column), 0, pane.shape[1]) };
  };
  addMark(pane, { kind, from: at(0.25), to: at(0.75) });
}
