/** Axes and steps of an image, from its axes (OME-NGFF 0.1 to 0.5) or its coordinate systems (0.6, RFC-5). Pure. */
import { isUncalibrated, unitMeaning } from '../../metadata/units.js';
import { objectOf, textOf } from './json.js';
import { axesFor, parseAxes, type RawAxis, type RawMultiscale, type RawSystem } from './multiscales.js';
import { type Effect, effectOf, type Factors, inverted, multiplied } from './transformations.js';

export interface Calibration {
  axes: RawAxis[];
  /** Steps of the full resolution in the units of the axes; `undefined` where the file does not give one. */
  steps: Factors;
  warnings: string[];
}

const MAX_WARNINGS = 20;

/**
 * @param rank dimensions of the array
 * @throws AcqError `decode_failed` for axes that do not fit the array
 */
export function calibrationOf(label: string, multiscale: RawMultiscale, rank: number): Calibration {
  const own = multiscale.levels[0]?.transformations ?? [];
  const warnings: string[] = [];
  const system = multiscale.systems.length > 0 ? systemOf(multiscale, own, warnings) : undefined;
  if (!system) {
    const axes = axesFor(label, multiscale.axes, rank);
    return { axes, steps: stepsOf([...own, ...multiscale.transformations], axes, warnings), warnings };
  }
  const axes = axesFor(label, parseAxes(label, system.axes), rank);
  const steps = stepsOf(
    own.filter((one, i) => i === 0 || nameIn(one, 'input') === undefined),
    axes,
    warnings,
  );
  const found = { axes, steps, warnings };
  const links = linksOf(label, multiscale, system, axes);
  const result = axes.some(isCalibrated) ? withNotes(found, system, links) : calibratedBy(found, system, links);
  return { ...result, warnings: result.warnings.slice(0, MAX_WARNINGS) };
}

/** The system that the full resolution is described in; `undefined` when `axes` describe it. */
function systemOf(
  { systems, axes }: RawMultiscale,
  own: readonly unknown[],
  warnings: string[],
): RawSystem | undefined {
  const wanted = nameIn(own[0], 'output');
  const found = systems.find(({ name }) => name === wanted);
  if (found || axes) return found;
  const [first] = systems;
  if (wanted !== undefined) {
    warnings.push(`The coordinate system "${clipped(wanted)}" is not in the file; "${first?.name}" was assumed.`);
  } else if (systems.length > 1) {
    warnings.push(`The image does not name its coordinate system; the first one, "${first?.name}", was assumed.`);
  }
  return first;
}

function stepsOf(transformations: readonly unknown[], axes: readonly RawAxis[], warnings: string[]): Factors {
  if (transformations.length === 0) {
    const known = axes.filter(isCalibrated);
    if (known.length > 0) warnings.push(`The image has no scale, so the steps along ${namesOf(known)} are not known.`);
    return axes.map(() => undefined);
  }
  const { factors, problems } = effectOf(
    transformations,
    axes.map(({ name }) => name),
  );
  const without = axes.filter(({ type }, axis) => factors[axis] === undefined && type !== 'channel');
  if (problems.length > 0) {
    const lost = without.length > 0 ? `; the steps along ${namesOf(without)} are not known` : '';
    const told = problems.join('; ');
    warnings.push(`${told.charAt(0).toUpperCase()}${told.slice(1)}${lost}.`);
  }
  return factors;
}

/** Another coordinate system of the image, and what leads there. */
interface Link {
  system: RawSystem;
  axes: RawAxis[] | undefined;
  effect: Effect;
}

/** Those that lead from the system of the full resolution, or to it; not those to labels, which have a path. */
function linksOf(label: string, multiscale: RawMultiscale, system: RawSystem, axes: readonly RawAxis[]): Link[] {
  const names = axes.map(({ name }) => name);
  return multiscale.transformations.slice(0, MAX_WARNINGS).flatMap((one) => {
    const [from, to] = [nameIn(one, 'input'), nameIn(one, 'output')];
    const forward = from === system.name;
    if (hasPath(one, 'input') || hasPath(one, 'output') || (!forward && to !== system.name)) return [];
    const other = multiscale.systems.find(({ name }) => name === (forward ? to : from));
    if (!other || other === system) return [];
    const otherAxes = parseAxes(label, other.axes);
    const otherNames = otherAxes?.map(({ name }) => name) ?? names;
    const ends = forward ? { input: names, output: otherNames } : { input: otherNames, output: names };
    const { factors, problems } = effectOf([one], names, ends);
    const effect = { factors: forward ? factors : inverted(factors), problems };
    return [{ system: other, axes: otherAxes, effect }];
  });
}

/** Without any unit, the axes are those of the array: a system that has units is looked for. */
function calibratedBy(found: Calibration, system: RawSystem, links: readonly Link[]): Calibration {
  const { axes, steps, warnings } = found;
  const calibrated = links.filter((link) => link.axes?.some(isCalibrated));
  const usable = calibrated.find((link) => link.effect.problems.length === 0 && link.axes?.length === axes.length);
  if (usable?.axes) return { axes: usable.axes, steps: multiplied(steps, usable.effect.factors), warnings };
  for (const link of calibrated) {
    warnings.push(
      `The coordinate system "${clipped(link.system.name)}" is not used: ${reasonOf(link, axes.length)}. ` +
        `The image is shown in "${clipped(system.name)}", which has no units.`,
    );
  }
  return found;
}

/** Says which systems are not shown: those that the steps cannot express, and those with other steps. */
function withNotes(found: Calibration, system: RawSystem, links: readonly Link[]): Calibration {
  const { axes, warnings } = found;
  for (const link of links) {
    const name = clipped(link.system.name);
    if (link.effect.problems.length > 0 || link.axes?.length !== axes.length) {
      warnings.push(`The coordinate system "${name}" is not used: ${reasonOf(link, axes.length)}.`);
      continue;
    }
    const other = axes.filter((axis, i) => hasOtherStep(axis, link.axes?.[i], link.effect.factors[i]));
    if (other.length > 0) {
      const own = clipped(system.name);
      warnings.push(
        `The steps are those of the coordinate system "${own}"; "${name}" has others along ${namesOf(other)}.`,
      );
    }
  }
  return found;
}

function reasonOf({ effect, axes }: Link, rank: number): string {
  return effect.problems.length > 0
    ? effect.problems.join('; ')
    : `it has ${axes?.length ?? 0} axes, the image ${rank}`;
}

/** A factor that is more than a change of the unit. */
function hasOtherStep(own: RawAxis, other: RawAxis | undefined, factor: number | undefined): boolean {
  const [from, to] = [unitMeaning(own.unit ?? ''), unitMeaning(other?.unit ?? '')];
  if (!from || !to || factor === undefined) return false;
  return from.unit !== to.unit || Math.abs((factor * to.factor) / from.factor - 1) > 1e-9;
}

function isCalibrated({ unit }: RawAxis): boolean {
  return !isUncalibrated(unit);
}

/** `{"name": …}`, or only the name in early drafts. */
function nameIn(transformation: unknown, member: 'input' | 'output'): string | undefined {
  const value = objectOf(transformation)?.[member];
  const name = textOf(value) ?? textOf(objectOf(value)?.['name']);
  return name === '' ? undefined : name;
}

function hasPath(transformation: unknown, member: 'input' | 'output'): boolean {
  return Boolean(textOf(objectOf(objectOf(transformation)?.[member])?.['path']));
}

function namesOf(axes: readonly RawAxis[]): string {
  return axes.map(({ name }) => name).join(', ');
}

function clipped(text: string): string {
  return text.length > 40 ? `${text.slice(0, 40)}…` : text;
}
