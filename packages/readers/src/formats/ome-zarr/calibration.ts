/** Finds the axes and steps of an image in its axes (OME-NGFF 0.1 to 0.5) or coordinate systems (0.6, RFC-5). Pure. */

import { objectOf, textOf } from '../../base/json.js';
import { Notes } from '../../base/notes.js';
import { grouped, shorten } from '../../base/wording.js';
import { isUncalibrated, unitMeaning } from '../../model/metadata/units.js';
import { axesFor, parseAxes, type RawMultiscale, type RawSystem, type RawZarrAxis } from './multiscales.js';
import { type Effect, effectOf, type Factors, inverted, multiplied } from './transformations.js';

export interface Calibration {
  axes: RawZarrAxis[];
  /** Steps of the full resolution in the units of the axes; `undefined` where the file does not contain one. */
  steps: Factors;
  warnings: string[];
}

const MAX_WARNINGS = 20;

/**
 * Returns the axes of an image and the steps along them.
 * @param rank dimensions of the array
 * @throws AcqError `decode_failed` for axes that do not match the array
 */
export function calibrationOf(multiscale: RawMultiscale, rank: number): Calibration {
  const own = multiscale.levels[0]?.transformations ?? [];
  const notes = new Notes();
  const system = multiscale.systems.length > 0 ? findSystem(multiscale, own, notes) : undefined;
  if (!system) {
    const axes = axesFor(multiscale.axes, rank);
    return { axes, steps: stepsOf([...own, ...multiscale.transformations], axes, notes), warnings: listed(notes) };
  }
  const axes = axesFor(parseAxes(system.axes), rank);
  const steps = stepsOf(
    own.filter((entry, i) => i === 0 || nameIn(entry, 'input') === undefined),
    axes,
    notes,
  );
  const links = findLinks(multiscale, system, axes);
  if (axes.some(isCalibrated)) {
    noteOtherSystems(axes, system, links, notes);
    return { axes, steps, warnings: listed(notes) };
  }
  return { ...calibratedBy({ axes, steps }, system, links, notes), warnings: listed(notes) };
}

function listed(notes: Notes): string[] {
  return notes.list().slice(0, MAX_WARNINGS);
}

/** Finds the coordinate system of the full resolution; `undefined` when `axes` describe it. */
function findSystem({ systems, axes }: RawMultiscale, own: readonly unknown[], notes: Notes): RawSystem | undefined {
  const output = nameIn(own[0], 'output');
  const named = systems.find(({ name }) => name === output);
  if (named || axes) return named;
  const [first] = systems;
  if (output !== undefined) {
    notes.add(`The coordinate system "${shorten(output)}" is missing; "${first?.name}" was assumed.`);
  } else if (systems.length > 1) {
    notes.add(`The image does not name its coordinate system; the first one, "${first?.name}", was assumed.`);
  }
  return first;
}

function stepsOf(transformations: readonly unknown[], axes: readonly RawZarrAxis[], notes: Notes): Factors {
  if (transformations.length === 0) {
    const known = axes.filter(isCalibrated);
    if (known.length > 0) notes.add(`The image has no scale, so the steps along ${namesOf(known)} are missing.`);
    return axes.map(() => undefined);
  }
  const { factors, problems } = effectOf(
    transformations,
    axes.map(({ name }) => name),
  );
  const without = axes.filter(({ type }, axis) => factors[axis] === undefined && type !== 'channel');
  if (problems.length > 0) {
    const lost = without.length > 0 ? `; the steps along ${namesOf(without)} are missing` : '';
    const text = problems.join('; ');
    notes.add(`${text.charAt(0).toUpperCase()}${text.slice(1)}${lost}.`);
  }
  return factors;
}

/** Another coordinate system of the image, and the transformation to it. */
interface SystemLink {
  system: RawSystem;
  axes: RawZarrAxis[] | undefined;
  effect: Effect;
}

/** Finds the systems linked to that of the full resolution, in either direction. Links to labels have a path and are skipped. */
function findLinks(multiscale: RawMultiscale, system: RawSystem, axes: readonly RawZarrAxis[]): SystemLink[] {
  const names = axes.map(({ name }) => name);
  return multiscale.transformations.slice(0, MAX_WARNINGS).flatMap((transformation) => {
    const [from, to] = [nameIn(transformation, 'input'), nameIn(transformation, 'output')];
    const forward = from === system.name;
    if (hasPath(transformation, 'input') || hasPath(transformation, 'output') || (!forward && to !== system.name))
      return [];
    const other = multiscale.systems.find(({ name }) => name === (forward ? to : from));
    if (!other || other === system) return [];
    const otherAxes = parseAxes(other.axes);
    const otherNames = otherAxes?.map(({ name }) => name) ?? names;
    const ends = forward ? { input: names, output: otherNames } : { input: otherNames, output: names };
    const { factors, problems } = effectOf([transformation], names, ends);
    const effect = { factors: forward ? factors : inverted(factors), problems };
    return [{ system: other, axes: otherAxes, effect }];
  });
}

/** Without units, the axes are those of the array. Returns those of a linked system with units, if there is one. */
function calibratedBy(
  found: Omit<Calibration, 'warnings'>,
  system: RawSystem,
  links: readonly SystemLink[],
  notes: Notes,
): Omit<Calibration, 'warnings'> {
  const { axes, steps } = found;
  const calibrated = links.filter((link) => link.axes?.some(isCalibrated));
  const usable = calibrated.find((link) => link.effect.problems.length === 0 && link.axes?.length === axes.length);
  if (usable?.axes) return { axes: usable.axes, steps: multiplied(steps, usable.effect.factors) };
  for (const link of calibrated) {
    notes.add(
      `The coordinate system "${shorten(link.system.name)}" was ignored: ${reasonOf(link, axes.length)}. ` +
        `The image is shown in "${shorten(system.name)}", which has no units.`,
    );
  }
  return found;
}

/** Adds a note for each system that the steps cannot express, or that has other steps. */
function noteOtherSystems(axes: RawZarrAxis[], system: RawSystem, links: readonly SystemLink[], notes: Notes): void {
  for (const link of links) {
    const name = shorten(link.system.name);
    if (link.effect.problems.length > 0 || link.axes?.length !== axes.length) {
      notes.add(`The coordinate system "${name}" was ignored: ${reasonOf(link, axes.length)}.`);
      continue;
    }
    const other = axes.filter((axis, i) => hasOtherStep(axis, link.axes?.[i], link.effect.factors[i]));
    if (other.length > 0) {
      const own = shorten(system.name);
      notes.add(`The steps are those of the coordinate system "${own}"; "${name}" has others along ${namesOf(other)}.`);
    }
  }
}

function reasonOf({ effect, axes }: SystemLink, rank: number): string {
  return effect.problems.length > 0
    ? effect.problems.join('; ')
    : `it has ${grouped(axes?.length ?? 0)} axes, the image ${grouped(rank)}`;
}

/** True when the factor is more than a change of units. */
function hasOtherStep(own: RawZarrAxis, other: RawZarrAxis | undefined, factor: number | undefined): boolean {
  const [from, to] = [unitMeaning(own.unit ?? ''), unitMeaning(other?.unit ?? '')];
  if (!from || !to || factor === undefined) return false;
  return from.unit !== to.unit || Math.abs((factor * to.factor) / from.factor - 1) > 1e-9;
}

function isCalibrated({ unit }: RawZarrAxis): boolean {
  return !isUncalibrated(unit);
}

/** Reads `{"name": …}`, or only the name in early drafts. */
function nameIn(transformation: unknown, member: 'input' | 'output'): string | undefined {
  const value = objectOf(transformation)?.[member];
  const name = textOf(value) ?? textOf(objectOf(value)?.['name']);
  return name === '' ? undefined : name;
}

function hasPath(transformation: unknown, member: 'input' | 'output'): boolean {
  return Boolean(textOf(objectOf(objectOf(transformation)?.[member])?.['path']));
}

function namesOf(axes: readonly RawZarrAxis[]): string {
  return axes.map(({ name }) => name).join(', ');
}
