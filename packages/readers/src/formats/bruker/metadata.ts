/** Describes a scene: names, steps, date, warnings. */

import { Notes } from '../../base/notes.js';
import { asCorrupted, asIncomplete, asInconsistent } from '../../base/warning-kinds.js';
import { countAre, grouped, plural } from '../../base/wording.js';
import type { FoundReference, SceneInfo, Step } from '../../model/acquisition.js';
import { type AxisEvidence, measuredAxes, type ResolvedAxis, resolveAxis } from '../../model/metadata/axes.js';
import { channelsNamed, cleanName } from '../../model/metadata/names.js';
import { defaultStep, makeStep } from '../../model/metadata/steps.js';
import { brukerInstrument, brukerOptics } from './instrument.js';
import { lookUp } from './parse.js';
import { pixelStep } from './pixel-size.js';
import { type BrukerSceneSource, findMissing, type SceneShape, statedLines, totalRows } from './planes.js';
import type { ReferenceImage } from './reference.js';
import { describeGaps, findClock, linePeriod, type NotedStep, short, timeAxis } from './times.js';

/** Relative difference between the length of a line and its pixel size that is worth a warning. */
const DIFFERENT = 0.01;
/** Missing files that a warning names; the others are counted. */
const MAX_LISTED = 5;

/**
 * @param problem why the files of the scene could not be probed
 * @throws AcqError `decode_failed`
 */
export function toScene(
  source: BrukerSceneSource,
  shape: SceneShape,
  reference: FoundReference<ReferenceImage> | undefined,
  problem?: Error,
): SceneInfo {
  const { plan } = source;
  const notes = new Notes();
  const noted = ({ step, warning }: NotedStep): Step => {
    if (warning !== undefined) notes.add(warning);
    return step;
  };
  notes.addAll(plan.warnings);
  notes.addAll(describeShape(source, shape));
  notes.addAll(describeMissing(source));
  const isLines = plan.kind === 'lines';
  const Y = noted(isLines ? linePeriod(source, shape) : pixelStep(source, 'y'));
  const gaps = isLines ? describeGaps(source, shape, Y) : undefined;
  if (gaps !== undefined) notes.add(gaps);
  const T = timeAxis(source, notes);
  const Z = depthAxis(source, notes);
  const X = noted(isLines ? lineStep(source) : pixelStep(source, 'x'));
  const clock = findClock(source, shape);
  if (problem) notes.add(problem.message);
  if (reference) notes.addAll(reference.warnings);
  return {
    name: plan.name,
    sampleType: shape.sampleType,
    channels: channelsNamed(plan.channels.map((channel) => channel.name || `Ch${channel.number}`)).map(
      (channel, i) => ({
        ...channel,
        ...brukerOptics(source, plan.channels[i]!.number),
      }),
    ),
    sizes: { T: plan.T, Z: plan.Z, Y: totalRows(shape), X: shape.columns },
    steps: { T: T.step, Z: Z.step, Y, X },
    ...measuredAxes({ T, Z }),
    ...clock,
    ...brukerInstrument(source, clock),
    reference: reference?.image?.info ?? null,
    warnings: notes.list(),
  };
}

/** Returns the Z axis: the positions of the frames beat the distance that was set. */
function depthAxis(source: BrukerSceneSource, notes: Notes): ResolvedAxis {
  const { plan } = source;
  if (plan.Z < 2) return { step: defaultStep('Planes') };
  const { step, warning } = pixelStep(source, 'z');
  if (warning !== undefined) notes.add(warning);
  const evidence: AxisEvidence = {
    unit: 'micrometer',
    nominal: step.unit === 'micrometer' ? [{ step: step.step, what: 'micronsPerPixel' }] : [],
    measured: plan.depths && {
      at: plan.depths.at,
      what: 'stage positions',
      origin: plan.depths.areSums ? 'derived' : 'file',
    },
  };
  return resolveAxis('Z', plan.Z, evidence, notes);
}

/** Returns µm per pixel along the line. The stated length of the line overrides a pixel size that disagrees with it. */
function lineStep(source: BrukerSceneSource): NotedStep {
  const { plan, scan } = source;
  const stated = pixelStep(source, 'x');
  const [sequence] = plan.sequences;
  const length = sequence.line?.length;
  const pixels = lookUp('pixelsperline', plan.frame, sequence, scan);
  const derived = length && pixels ? makeStep(length / pixels, 'micrometer', 'derived') : undefined;
  if (!derived) return stated;
  const { step, unit } = stated.step;
  if (unit !== 'micrometer') return { ...stated, step: derived };
  if (Math.abs(step / derived.step - 1) <= DIFFERENT) return stated;
  return {
    step: derived,
    warning: asInconsistent(
      `X step: micronsPerPixel is ${short(step)} µm, but the length of the line divided by its pixels is ` +
        `${short(derived.step)} µm. Showing ${short(derived.step)} µm.`,
    ),
  };
}

/** Describes where the files do not have the size that the XML states. */
function describeShape(source: BrukerSceneSource, shape: SceneShape): string[] {
  const { plan, scan } = source;
  const warnings: string[] = [];
  const isLines = plan.kind === 'lines';
  const stated = (isLines ? plan.sequences[0].frames : [plan.frame])
    .map((frame) => statedLines(source, frame))
    .reduce((sum, lines) => (sum === undefined || lines === undefined ? undefined : sum + lines), 0);
  const actual = shape.rows.reduce((sum, rows) => sum + rows, 0);
  if (stated !== undefined && stated !== actual) {
    const rows = plural(stated, isLines ? 'line' : 'row');
    warnings.push(
      asInconsistent(`The XML says ${rows}, but the files have ${grouped(actual)}. Showing ${grouped(actual)}.`),
    );
  }
  const pixels = lookUp('pixelsperline', plan.frame, plan.sequences[0], scan);
  if (pixels !== undefined && pixels !== shape.columns) {
    const columns = grouped(shape.columns);
    warnings.push(
      asInconsistent(
        `The XML says ${plural(pixels, 'pixel')} per line, but the files have ${columns}. Showing ${columns}.`,
      ),
    );
  }
  return warnings;
}

function describeMissing(source: BrukerSceneSource): string[] {
  const { plan } = source;
  const warnings: string[] = [];
  const { names, unlisted } = findMissing(source);
  if (names.length > 0) {
    const list = names.slice(0, MAX_LISTED).map(cleanName).join(', ');
    const more = names.length > MAX_LISTED ? ` and ${plural(names.length - MAX_LISTED, 'more file')}` : '';
    warnings.push(asCorrupted(`Missing from the folder: ${list}${more}; their planes cannot be read.`));
  }
  const frames = plan.sequences.reduce((sum, sequence) => sum + sequence.frames.length, 0);
  const absent = plan.kind === 'depths' ? (plan.T * plan.Z - frames) * plan.channels.length : 0;
  const last = unlisted.last + absent;
  if (last > 0) {
    warnings.push(
      asIncomplete(`The recording was stopped early: ${countAre(last, 'plane')} missing and shown as zeros.`),
    );
  }
  const { first } = unlisted;
  if (first) {
    warnings.push(
      asCorrupted(
        `The XML does not name ${plural(unlisted.within, 'image')} of frames before the end, the first in cycle ` +
          `${grouped(first.cycle)}, frame ${grouped(first.frame)}, channel ${cleanName(first.channel)}. They are shown as zeros.`,
      ),
    );
  }
  return warnings;
}
