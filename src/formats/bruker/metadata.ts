/** From a plan and the XML to a scene: names, steps, date, warnings. */
import type { SceneInfo, Step } from '../../acquisition.js';
import { channelsNamed, cleanName } from '../../metadata/names.js';
import { defaultStep, makeStep } from '../../metadata/steps.js';
import { countAre, grouped, plural } from '../../wording.js';
import type { ScenePlan } from './arrange.js';
import type { MemberFiles } from './files.js';
import { lookUp, type RawScan } from './parse.js';
import { linesOf, missingFiles, type SceneShape, totalRows } from './planes.js';
import { clockOf, frameInterval, linePeriod, short, warnAboutGaps } from './times.js';

/** Relative difference from which the length of a line speaks against the pixel size. */
const DIFFERENT = 0.01;
/** Names of missing files that a warning lists; the others are counted. */
const LISTED = 5;

/** Everything but the reference image. */
export function toScene(
  name: string,
  plan: ScenePlan,
  shape: SceneShape,
  scan: RawScan,
  files: MemberFiles,
): SceneInfo {
  const warnings = [...plan.warnings];
  warnAboutShape(plan, shape, scan, warnings);
  warnAboutMissing(plan, files, warnings);
  const clock = clockOf(plan, shape, scan);
  const isLines = plan.kind === 'lines';
  const Y = isLines ? linePeriod(plan, shape, scan, files, warnings) : pixelStep(plan, scan, 'y', warnings);
  if (isLines) warnAboutGaps(plan, shape, Y, warnings);
  return {
    name: plan.name,
    sampleType: shape.sampleType,
    channels: channelsNamed(plan.channels.map((channel) => channel.name || `Ch${channel.number}`)),
    sizes: { T: plan.T, Z: plan.Z, Y: totalRows(name, shape), X: shape.columns },
    steps: {
      T: frameInterval(plan, scan, warnings),
      Z: plan.Z > 1 ? pixelStep(plan, scan, 'z', warnings) : defaultStep('Planes'),
      Y,
      X: isLines ? lineStep(plan, scan, warnings) : pixelStep(plan, scan, 'x', warnings),
    },
    ...clock,
    reference: null,
    warnings,
  };
}

/** µm per pixel along an axis of the raster; along Z, between planes. */
export function pixelStep(plan: ScenePlan, scan: RawScan, axis: 'x' | 'y' | 'z', warnings: string[]): Step {
  const value = lookUp(`micronsperpixel_${axis}axis`, plan.frame, plan.sequences[0], scan);
  // A distance between planes that go up is negative in some versions.
  const step = value === undefined ? undefined : makeStep(Math.abs(value), 'micrometer');
  if (value !== undefined && !step) {
    warnings.push(`${axis.toUpperCase()} step: micronsPerPixel is ${value}, which is no usable step.`);
  }
  return step ?? defaultStep(axis === 'z' ? 'Planes' : 'Pixels');
}

/** µm per pixel along the line. Where the stated length of the line disagrees with the pixel size, it wins. */
function lineStep(plan: ScenePlan, scan: RawScan, warnings: string[]): Step {
  const stated = pixelStep(plan, scan, 'x', warnings);
  const [sequence] = plan.sequences;
  const length = sequence.line?.length;
  const pixels = lookUp('pixelsperline', plan.frame, sequence, scan);
  const byLength = length && pixels ? makeStep(length / pixels, 'micrometer', 'derived') : undefined;
  if (!byLength) return stated;
  if (stated.unit === 'micrometer' && Math.abs(stated.step / byLength.step - 1) <= DIFFERENT) return stated;
  if (stated.unit === 'micrometer') {
    warnings.push(
      `X step: micronsPerPixel is ${short(stated.step)} µm, the length of the line over its pixels is ` +
        `${short(byLength.step)} µm; the latter is served.`,
    );
  }
  return byLength;
}

function warnAboutShape(plan: ScenePlan, shape: SceneShape, scan: RawScan, warnings: string[]): void {
  const what = plan.kind === 'lines' ? 'lines' : 'rows';
  const { frames } = plan.sequences[0];
  const announced =
    plan.kind === 'lines' ? frames.map((frame) => linesOf(frame, plan, scan)) : [linesOf(plan.frame, plan, scan)];
  const said = announced.reduce((sum: number | undefined, lines) => add(sum, lines), 0);
  const held = shape.rows.reduce((sum, rows) => sum + rows, 0);
  if (said !== undefined && said !== held) {
    warnings.push(`The XML announces ${said} ${what}, the files hold ${held}; all ${held} are served.`);
  }
  const pixels = lookUp('pixelsperline', plan.frame, plan.sequences[0], scan);
  if (pixels !== undefined && pixels !== shape.columns) {
    warnings.push(
      `The XML says ${plural(pixels, 'pixel')} per line, but the files have ${grouped(shape.columns)}. Showing ${grouped(shape.columns)}.`,
    );
  }
}

function add(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? undefined : a + b;
}

function warnAboutMissing(plan: ScenePlan, files: MemberFiles, warnings: string[]): void {
  const { names, unnamed } = missingFiles(plan, files);
  if (names.length > 0) {
    const list = names.slice(0, LISTED).map(cleanName).join(', ');
    const more = names.length > LISTED ? ` and ${plural(names.length - LISTED, 'more file')}` : '';
    warnings.push(`Missing from the folder: ${list}${more}; their planes cannot be read.`);
  }
  const frames = plan.sequences.reduce((sum, sequence) => sum + sequence.frames.length, 0);
  const absent = plan.kind === 'depths' ? (plan.T * plan.Z - frames) * plan.channels.length : 0;
  if (unnamed + absent > 0) {
    warnings.push(
      `The recording was stopped early: ${countAre(unnamed + absent, 'plane')} missing and shown as zeros.`,
    );
  }
}
