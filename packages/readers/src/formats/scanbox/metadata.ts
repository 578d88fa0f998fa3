/** From the settings of Scanbox to a scene. */

import type { Notes } from '../../base/notes.js';
import { plural } from '../../base/wording.js';
import type { SceneInfo } from '../../model/acquisition.js';
import { measuredAxes, type NominalStep, type ResolvedAxis, resolveAxis } from '../../model/metadata/axes.js';
import { NO_CLOCK, parseDateTime } from '../../model/metadata/dates.js';
import { toInstrument, toOptics } from '../../model/metadata/instrument.js';
import { channelsNamed } from '../../model/metadata/names.js';
import { defaultStep, makeStep } from '../../model/metadata/steps.js';
import type { ScanboxLayout } from './layout.js';
import type { RawScanbox } from './parse.js';

export function toScene(raw: RawScanbox, layout: ScanboxLayout, notes: Notes): SceneInfo {
  const { rows: Y, columns: X, planes: Z, volumes: T } = layout;
  const time = volumeTimes(raw, layout, notes);
  const depth = sectionDepths(raw, Z, notes);
  const rate = lineRate(raw);
  const isBidirectional = raw.scanmode === 0;
  if (isBidirectional) {
    notes.add('Lines were scanned in both directions: the first columns of the rows may contain no signal.');
  }
  return {
    name: '',
    sampleType: 'uint16',
    channels: toChannels(raw, layout),
    sizes: { T, Z, Y, X },
    steps: { T: time.step, Z: depth.step, ...pixelSteps(raw) },
    ...measuredAxes({ T: time, Z: depth }),
    ...toInstrument({
      objective: { name: raw.objective },
      zoom: Number(raw.zoom),
      linePeriodSeconds: rate === undefined ? undefined : 1 / rate,
      bidirectional: raw.scanmode === undefined ? undefined : isBidirectional,
      stage: raw.stage,
    }),
    ...((raw.timestamp !== undefined && parseDateTime(raw.timestamp)) || NO_CLOCK),
    reference: null,
    warnings: notes.list(),
  };
}

function toChannels({ chanNames, gains, wavelength }: RawScanbox, { detectors }: ScanboxLayout) {
  const named = channelsNamed(detectors.map((detector) => chanNames[detector]?.trim() || `PMT${detector}`));
  return named.map((channel, i) => ({
    ...channel,
    ...toOptics({ gain: gains[detectors[i]!], excitationNm: wavelength }),
  }));
}

/** The mirror swings `resfreq` times a second; both of its ways are lines where both directions count. */
function lineRate({ resfreq, scanmode }: RawScanbox): number | undefined {
  return resfreq !== undefined && resfreq > 0 ? resfreq * (scanmode === 0 ? 2 : 1) : undefined;
}

function volumeTimes(raw: RawScanbox, { planes, volumes, rows }: ScanboxLayout, notes: Notes): ResolvedAxis {
  const rate = lineRate(raw);
  const isFolded = raw.foldLines > 0;
  const lines = isFolded ? rows : (raw.lines ?? raw.sz?.[0] ?? rows);
  const frames = plural(planes, 'frame');
  const nominal: NominalStep[] = [];
  if (rate !== undefined && lines > 0)
    nominal.push({ step: (planes * lines) / rate, what: `resfreq and lines (${frames})` });
  const { recordsPerBuffer = 0, resfreq = 0 } = raw;
  // Records are swings, whether one of their ways counts or both.
  if (!isFolded && recordsPerBuffer > 0 && resfreq > 0) {
    nominal.push({ step: (planes * recordsPerBuffer) / resfreq, what: `recordsPerBuffer (${frames})` });
  }
  return resolveAxis('T', volumes, { unit: 'seconds', nominal }, notes);
}

/** The current of the lens is not a depth. Some laboratories add the depths. */
function sectionDepths({ otwaveUm }: RawScanbox, planes: number, notes: Notes): ResolvedAxis {
  if (planes < 2 || otwaveUm.length !== planes) return { step: defaultStep('Planes') };
  return resolveAxis(
    'Z',
    planes,
    { unit: 'micrometer', measured: { at: otwaveUm, what: 'depths in otwave_um' } },
    notes,
  );
}

/** The calibration of the magnification is older, and no number in version 3. */
function pixelSteps({ dxcal, dycal, calibration }: RawScanbox): Pick<SceneInfo['steps'], 'X' | 'Y'> {
  const [x, y] = dxcal !== undefined && dycal !== undefined ? [dxcal, dycal] : [calibration.x, calibration.y];
  const step = (value = Number.NaN) => makeStep(value, 'micrometer') ?? defaultStep();
  return { X: step(x), Y: step(y) };
}
