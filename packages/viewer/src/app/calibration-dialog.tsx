import type { CalibrationOverride } from '@acquisition-store/client/contract/calibration.js';
import type { OpenResponse } from '@acquisition-store/client/contract/open.js';
import { useState } from 'preact/hooks';
import { fieldText, parseNumber } from '../model/number-text.ts';
import { writeCalibration } from './calibrations.ts';
import { usePage } from './context.ts';
import { Dialog } from './dialog.tsx';
import type { Tab } from './tab.ts';

/** Milliseconds and micrometers per unit of the contract. */
const PER_UNIT = { seconds: 1000, micrometer: 1 } as const;
type EnteredUnit = keyof typeof PER_UNIT;

/**
 * Enters the line period and the pixel size of the shown file, and the steps of time points and sections that were not
 * measured. An empty field leaves the value of the file.
 */
export function CalibrationDialog({ tab }: { readonly tab: Tab }) {
  const { dialog, workspace } = usePage();
  const { document } = tab;
  const { info, calibration, source } = document;
  const [rowUnit, setRowUnit] = useState<EnteredUnit>(source.value.lineScan ? 'seconds' : 'micrometer');
  const [down, setDown] = useState(() => entered(calibration.value?.Y));
  const [across, setAcross] = useState(() => entered(calibration.value?.X));
  const [interval, setInterval] = useState(() => entered(calibration.value?.T));
  const [distance, setDistance] = useState(() => entered(calibration.value?.Z));
  const apply = async (next: CalibrationOverride | null) => {
    writeCalibration(info.value.source.path, next);
    dialog.value = null;
    if (await workspace.select(tab, { calibration: next ?? {} })) document.calibration.value = next;
  };
  const Y = toStep(down, rowUnit);
  const X = toStep(across, 'micrometer');
  const T = toStep(interval, 'seconds');
  const Z = toStep(distance, 'micrometer');
  const invalid = [T, Z, Y, X].includes(undefined);
  const submit = (event: Event) => {
    event.preventDefault();
    if (invalid) return;
    const entries = Object.entries({ T, Z, Y, X }).filter(([, step]) => step);
    void apply(entries.length === 0 ? null : Object.fromEntries(entries));
  };
  const [row, column] = info.value.plane.axes;
  const { header } = info.value;
  const [time, section] = [stackStep(header, 'T'), stackStep(header, 'Z')];
  return (
    <Dialog title={`Calibrate ${info.value.source.name}`}>
      <form class="app-calibration" onSubmit={submit}>
        <label>
          <span>Rows are</span>
          <select value={rowUnit} onChange={(event) => setRowUnit(event.currentTarget.value as EnteredUnit)}>
            <option value="seconds">lines in time</option>
            <option value="micrometer">positions</option>
          </select>
        </label>
        <Field
          label={rowUnit === 'seconds' ? 'Line period (ms)' : 'Pixel height (µm)'}
          value={down}
          wrong={Y === undefined}
          inFile={calibration.value?.Y ? '' : inFile(row, rowUnit)}
          change={setDown}
        />
        <Field
          label={rowUnit === 'seconds' ? 'Pixel size (µm)' : 'Pixel width (µm)'}
          value={across}
          wrong={X === undefined}
          inFile={calibration.value?.X ? '' : inFile(column, 'micrometer')}
          change={setAcross}
        />
        {time && (
          <Field
            label="Time between frames (ms)"
            value={interval}
            wrong={T === undefined}
            inFile={calibration.value?.T ? '' : inFile(time, 'seconds')}
            change={setInterval}
          />
        )}
        {section && (
          <Field
            label="Distance of sections (µm)"
            value={distance}
            wrong={Z === undefined}
            inFile={calibration.value?.Z ? '' : inFile(section, 'micrometer')}
            change={setDistance}
          />
        )}
        <p class="app-muted">
          Used for this file in this browser: by axes, marks, velocities, figures and saved files. An empty field leaves
          the value of the file.
        </p>
        <div class="app-calibration-buttons">
          <button type="submit" class="primary" disabled={invalid}>
            Apply
          </button>
          {calibration.value && (
            <button type="button" onClick={() => void apply(null)}>
              Use the values of the file
            </button>
          )}
        </div>
      </form>
    </Dialog>
  );
}

interface StepFieldProps {
  readonly label: string;
  readonly value: string;
  readonly wrong: boolean;
  /** The value of the file. */
  readonly inFile: string;
  change(text: string): void;
}

function Field({ label, value, wrong, inFile, change }: StepFieldProps) {
  return (
    <label>
      <span>{label}</span>
      <input
        type="text"
        inputMode="decimal"
        value={value}
        placeholder={inFile}
        aria-invalid={wrong}
        onInput={(event) => change(event.currentTarget.value)}
      />
      {wrong && <span class="app-calibration-wrong">Enter a number above 0.</span>}
    </label>
  );
}

/** Returns the step along time points or sections; nothing when the file lacks the axis, or has measured values of it. */
function stackStep({ dims, physicalUnits, physicalUnitsLabels, coordinates }: OpenResponse['header'], axis: 'T' | 'Z') {
  const i = dims.indexOf(axis);
  const [step, unit] = [physicalUnits[i], physicalUnitsLabels[i]];
  return step === undefined || unit === undefined || coordinates?.[axis] ? undefined : { step, unit };
}

function entered(step: CalibrationOverride['Y']): string {
  return step === undefined || step.unit === 'Pixels' ? '' : fieldText(step.step * PER_UNIT[step.unit]);
}

function inFile(axis: { readonly step: number; readonly unit: string } | undefined, unit: EnteredUnit): string {
  return axis?.unit === unit ? fieldText(axis.step * PER_UNIT[unit]) : 'not in the file';
}

/** Returns null for an empty text and undefined for one that is not a step. */
function toStep(text: string, unit: EnteredUnit): { step: number; unit: EnteredUnit } | null | undefined {
  if (text.trim() === '') return null;
  const value = parseNumber(text);
  if (value === null || !(value > 0)) return undefined;
  return { step: Number((value / PER_UNIT[unit]).toPrecision(12)), unit };
}
