/** From the settings and the files of a recording to its scenes. */

import type { Notes } from '../../base/notes.js';
import { plural } from '../../base/wording.js';
import type { ChannelInfo, SceneInfo, Step } from '../../model/acquisition.js';
import { measuredAxes, type NominalStep, type ResolvedAxis, resolveAxis } from '../../model/metadata/axes.js';
import { toIsoUtc } from '../../model/metadata/dates.js';
import { depthRows } from '../../model/metadata/depth-rows.js';
import { withoutNoise } from '../../model/metadata/float32.js';
import { toInstrument, toOptics } from '../../model/metadata/instrument.js';
import { channelsNamed } from '../../model/metadata/names.js';
import { defaultStep, makeStep } from '../../model/metadata/steps.js';
import type { SampleType } from '../../model/samples/types.js';
import type { RowKind } from './layout.js';
import type { ThorSettings } from './parse.js';
import { clockOf, lineTimes } from './times.js';

const BIDIRECTIONAL = 0;

export interface ThorShape {
  name: string;
  sampleType: SampleType;
  channels: readonly string[];
  sizes: SceneInfo['sizes'];
  rowKind: RowKind;
  /** Rows of a frame: those of a plane, unless frames follow each other down a plane. */
  frameRows: number;
  /** Seconds of the frames of a raw file. */
  timing?: Float64Array | undefined;
}

/** @param T the axis of the time points */
export function toScene(settings: ThorSettings, shape: ThorShape, T: ResolvedAxis, notes: Notes): SceneInfo {
  const { sizes, channels, name, sampleType } = shape;
  const rows = rowAxis(settings, shape, notes);
  const { magnification, uTime, lsm, isCamera } = settings;
  return {
    name,
    sampleType,
    channels: channelsNamed(channels).map((channel, i) => ({ ...channel, ...opticsOf(settings, channels[i]!) })),
    sizes,
    steps: {
      T: T.step,
      Z: sizes.Z > 1 ? sectionStep(settings) : defaultStep('Planes'),
      Y: rows.step,
      X: columnStep(settings, shape, notes),
    },
    ...measuredAxes({ T, Y: rows }),
    ...depthRows(shape.rowKind === 'depths', notes),
    ...toInstrument({
      objective: { name: magnification.name, magnification: magnification.mag },
      pixelDwellSeconds: isCamera || lsm.dwellTime === undefined ? undefined : withoutNoise(lsm.dwellTime / 1e6),
      linePeriodSeconds: rows.step.unit === 'seconds' ? rows.step.step : undefined,
      bidirectional: isCamera || lsm.scanMode === undefined ? undefined : lsm.scanMode === BIDIRECTIONAL,
      start: toIsoUtc(uTime ? 1000 * uTime : undefined),
    }),
    ...clockOf(settings),
    reference: null,
    warnings: notes.list(),
  };
}

function opticsOf({ channels, pinholeUm, isCamera }: ThorSettings, name: string): Partial<ChannelInfo> {
  const { gain, exposureMs = 0 } = channels.find((channel) => channel.name === name) ?? {};
  if (isCamera) return toOptics({ exposureSeconds: exposureMs / 1000 });
  return toOptics({ gain, pinholeUm });
}

function sectionStep({ zStage }: ThorSettings): Step {
  return makeStep(Math.abs(zStage.stepSizeUM ?? 0), 'micrometer') ?? defaultStep('Planes');
}

/** Of a line, the pixel size that was set before need not be that of its own samples. */
function columnStep(settings: ThorSettings, { sizes, rowKind }: ThorShape, notes: Notes): Step {
  const { pixelWidthUM, pixelSizeUM, widthUM = Number.NaN, pixelX = Number.NaN } = settings.lsm;
  const width = { step: pixelWidthUM ?? Number.NaN, what: 'LSM pixelWidthUM' };
  const square = { step: pixelSizeUM ?? Number.NaN, what: 'LSM pixelSizeUM' };
  const field: NominalStep = { step: widthUM / pixelX, what: 'widthUM ÷ pixelX', origin: 'derived' };
  const ofLine = [width, field, square].filter(({ step }) => step > 0).slice(0, 1);
  const nominal = rowKind === 'frames' ? [width, square, field] : ofLine;
  return lengthStep('X', sizes.X, settings.isCamera ? cameraPixel(settings) : nominal, notes).step;
}

function rowAxis(settings: ThorSettings, shape: ThorShape, notes: Notes): ResolvedAxis {
  const { sizes, rowKind, frameRows } = shape;
  const { lsm, zStage } = settings;
  if (rowKind === 'depths') {
    const depth = Math.abs((zStage.steps ?? 0) * (zStage.stepSizeUM ?? 0));
    notes.add(
      `The objective moved while lines were scanned: the rows were assumed to cover ${plural(zStage.steps ?? 0, 'section')} evenly.`,
    );
    return { step: makeStep(depth / frameRows, 'micrometer', 'derived') ?? defaultStep() };
  }
  if (rowKind !== 'frames') return lineTimes(settings, { frameRows, rows: sizes.Y, timing: shape.timing }, notes);
  const nominal: NominalStep[] = [
    { step: lsm.pixelHeightUM ?? Number.NaN, what: 'LSM pixelHeightUM' },
    { step: lsm.pixelSizeUM ?? Number.NaN, what: 'LSM pixelSizeUM' },
    { step: (lsm.heightUM ?? Number.NaN) / (lsm.pixelY ?? Number.NaN), what: 'heightUM ÷ pixelY', origin: 'derived' },
  ];
  return lengthStep('Y', sizes.Y, settings.isCamera ? cameraPixel(settings) : nominal, notes);
}

function cameraPixel({ camera, magnification }: ThorSettings): NominalStep[] {
  const step = (camera.pixelSizeUM ?? Number.NaN) / (magnification.mag ?? Number.NaN);
  return [{ step, what: 'Camera pixelSizeUM ÷ Magnification mag', origin: 'derived' }];
}

function lengthStep(axis: 'X' | 'Y', size: number, nominal: readonly NominalStep[], notes: Notes): ResolvedAxis {
  return resolveAxis(axis, size, { unit: 'micrometer', nominal: nominal.filter(({ step }) => step > 0) }, notes);
}
