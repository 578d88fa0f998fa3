/** Builds the scenes of a unit: one, or one for each line of an acousto-optic scan. */

import { unsupported } from '../../base/errors.js';
import { LIMITS } from '../../base/limits.js';
import { Notes } from '../../base/notes.js';
import { grouped, plural } from '../../base/wording.js';
import { checkSizes, type DatasetPlanes } from '../../hdf5/dataset-planes.js';
import type { Hdf5File } from '../../hdf5/file.js';
import type { SceneInfo } from '../../model/acquisition.js';
import { measuredAxes } from '../../model/metadata/axes.js';
import { defaultStep, makeStep } from '../../model/metadata/steps.js';
import { isLineScan, type LineLayout, linesOf, pixelSizesOf } from './lines.js';
import {
  lengthStep,
  noteConversions,
  noteShortage,
  resolveCycles,
  resolveThird,
  thirdAxisOf,
  toChannels,
  whenAndWhere,
} from './metadata.js';
import type { RawChannel, RawUnit } from './parse.js';
import { framePlanes, linePlanes } from './planes.js';
import { findBackground, type MescReference } from './reference.js';

export interface MescScene {
  unit: RawUnit;
  info: SceneInfo;
  planes: DatasetPlanes;
  reference?: MescReference;
}

/** What all scenes of a unit have in common. */
type Common = Pick<SceneInfo, 'sampleType' | 'channels' | 'date' | 'time' | 'instrument'>;

const FIELDS: Readonly<Record<number, string>> = {
  8: 'squares (chessboard)',
  9: 'transverse ribbons',
  10: 'longitudinal ribbons',
  11: 'cubes',
};

/** @throws AcqError `unsupported_format`, `plane_too_large`, `decode_failed` */
export function toScenes(file: Hdf5File, unit: RawUnit): MescScene[] {
  const notes = new Notes();
  const channels = usableChannels(unit, notes);
  const { shape, sampleType } = channels[0]!.dataset;
  if (shape.length < 2 || shape.length > 4) {
    throw unsupported(`the arrays have ${plural(shape.length, 'dimension')}; expected 2, 3 or 4`);
  }
  const infos = toChannels(channels);
  const common: Common = { sampleType, channels: infos, ...whenAndWhere(unit, notes) };
  noteConversions(
    channels,
    infos.map(({ name }) => name),
    notes,
  );
  const [rows, columns] = shape.slice(-2) as [number, number];
  const isPage = shape.slice(0, -2).every((size) => size === 1);
  const lines = isLineScan(unit) && isPage ? linesOf(unit, { rows, columns }) : undefined;
  if (lines) return lineScenes(file, { unit, channels, lines, common }, notes);
  return [frameScene(unit, channels, common, notes)];
}

/** Returns the channels with the type, rows and columns of the first one, all to the length of the shortest. */
function usableChannels({ channels }: RawUnit, notes: Notes): RawChannel[] {
  const [first] = channels;
  const kind = ({ dataset }: RawChannel) =>
    [dataset.sampleType, dataset.shape.length, ...dataset.shape.slice(-2)].join();
  const usable = channels.filter((channel) => kind(channel) === kind(first!));
  if (usable.length < channels.length) {
    notes.add(
      `${plural(channels.length - usable.length, 'channel')} of another shape or type than the first one cannot be shown with it.`,
    );
  }
  return usable;
}

function frameScene(unit: RawUnit, channels: readonly RawChannel[], common: Common, notes: Notes): MescScene {
  const { shape } = channels[0]!.dataset;
  const [Y, X] = shape.slice(-2) as [number, number];
  const third = thirdAxisOf(unit, notes);
  const along = shape.length === 4 ? (['T', 'Z'] as const) : shape.length === 3 ? [third.axis] : [];
  const count = (axis: 'T' | 'Z') => shortest(channels, along.indexOf(axis), notes);
  const sizes = { T: count('T'), Z: count('Z'), Y, X };
  checkSizes(sizes);
  noteShortage(unit, along.length === 0 ? 1 : sizes[along.at(-1)!], notes);
  const planesNote = noteKind(unit, third.isGuess && sizes.T > 1, sizes.T, notes);
  const { axis } = third;
  const resolved = resolveThird(unit, third, sizes[axis], notes);
  // Rows of lines are not distances, and how many of them a cycle has is unknown.
  const isLines = isLineScan(unit) && shape.slice(0, -2).every((size) => size === 1);
  const axes = measuredAxes({ [axis]: resolved });
  return {
    unit,
    planes: framePlanes(
      channels.map(({ dataset }) => dataset),
      along,
    ),
    info: {
      name: unit.name,
      ...common,
      sizes,
      steps: {
        T: axis === 'T' ? resolved.step : defaultStep('Frames'),
        Z: axis === 'Z' && sizes.Z > 1 ? resolved.step : defaultStep('Planes'),
        Y: isLines ? defaultStep('Pixels') : lengthStep(unit, 'Y', notes),
        X: lengthStep(unit, 'X', notes),
      },
      ...axes,
      ...(planesNote === undefined ? {} : { axisWarnings: { ...axes.axisWarnings, planes: [planesNote] } }),
      reference: null,
      warnings: notes.list(),
    },
  };
}

/** Returns the length of the channels along a dimension: an interrupted recording may have more frames of one. */
function shortest(channels: readonly RawChannel[], dimension: number, notes: Notes): number {
  if (dimension < 0) return 1;
  const lengths = channels.map(({ dataset }) => dataset.shape[dimension]!);
  const least = Math.min(...lengths);
  if (Math.max(...lengths) > least) {
    notes.add(
      `The channels have ${lengths.map(grouped).join(', ')} frames. Showing the ${grouped(least)} that all have.`,
    );
  }
  return least;
}

/** Says what is shown as it is stored. Returns the warning that the file does not say what its frames are. */
function noteKind(unit: RawUnit, isGuess: boolean, frames: number, notes: Notes): string | undefined {
  const field = FIELDS[unit.methodType ?? 0];
  if (field !== undefined)
    notes.add(`The recording is of ${field}. They are shown as the file stores them, beside each other.`);
  if (isLineScan(unit)) {
    notes.add(
      'The recording is a line scan, but the file does not describe lines in the page that it stores. The page is shown as it is.',
    );
  }
  if (!isGuess) return undefined;
  const warning = `The file does not say whether its ${grouped(frames)} frames are time points or sections. They are shown as time points.`;
  notes.add(warning);
  return warning;
}

interface LineUnit {
  unit: RawUnit;
  channels: readonly RawChannel[];
  lines: LineLayout;
  common: Common;
}

function lineScenes(file: Hdf5File, { unit, channels, lines, common }: LineUnit, notes: Notes): MescScene[] {
  const { rowsPerCycle, cycles, restRows, regions } = lines;
  if (regions.length > LIMITS.scenes) throw unsupported(`the unit has ${grouped(regions.length)} lines`);
  const isOne = rowsPerCycle === 1;
  if (restRows > 0)
    notes.add(`The last ${plural(restRows, 'row')} of the page do not make a whole cycle, and were skipped.`);
  if (unit.curves.includes('DichroSw_AO1')) {
    notes.add(
      'The light path alternates between cycles (curve DichroSw_AO1). Cycles are shown as they are stored, with both paths.',
    );
  }
  noteShortage({ ...unit, plannedFrames: 0 }, 1, notes);
  const time = resolveCycles(unit, isOne ? 'Y' : 'T', cycles, notes);
  const found = findBackground(file, unit, notes);
  const pixels = pixelSizesOf(unit, regions.length);
  return regions.map((region, i) => {
    const sizes = { T: isOne ? 1 : cycles, Z: 1, Y: isOne ? cycles : rowsPerCycle, X: region.columns };
    checkSizes(sizes);
    return {
      unit,
      planes: linePlanes(
        channels.map(({ dataset }) => dataset),
        region,
        lines,
      ),
      ...(found ? { reference: found } : {}),
      info: {
        name: regions.length === 1 ? unit.name : `${unit.name}/line ${i + 1}`,
        ...common,
        sizes,
        steps: {
          T: isOne ? defaultStep('Frames') : time.step,
          Z: defaultStep('Planes'),
          Y: isOne ? time.step : defaultStep(),
          X: makeStep(pixels[i] ?? 0, 'micrometer') ?? defaultStep(),
        },
        ...measuredAxes({ [isOne ? 'Y' : 'T']: time }),
        reference: found?.info ?? null,
        warnings: notes.list(),
      },
    };
  });
}
