/** Finds the files of a set by their names: `STEM_w1NAME_s2_t3.stk`. */

import { companionMissing, decodeFailed } from '../../base/errors.js';
import { LIMITS } from '../../base/limits.js';
import { Notes } from '../../base/notes.js';
import { asInconsistent } from '../../base/warning-kinds.js';
import { grouped, plural } from '../../base/wording.js';
import { composed } from '../../io/name-index.js';
import { cleanName } from '../../model/metadata/names.js';
import type { RawNd } from './parse.js';

/** Which parts the names of a set have. */
interface NameForm {
  wave: boolean;
  stage: boolean;
  time: boolean;
}

interface FoundName {
  name: string;
  form: NameForm;
  /** Numbers from 1; 1 for a part that the name does not have. */
  wave: number;
  stage: number;
  time: number;
  /** Name of the channel in the name of the file. */
  waveText: string;
  isStk: boolean;
}

/** The files of a set. */
export interface NdFiles {
  /** Numbers that files have, in ascending order. */
  waves: number[];
  stages: number[];
  /** Time points, those without a file included. */
  times: number;
  /** Time points that the files of a channel at a position have, in ascending order. */
  timesOf(wave: number, stage: number): readonly number[];
  /** Name of a channel in the names of its files. */
  waveText(wave: number): string;
  /** Returns the name of a file, as the folder spells it; `undefined` if it is missing. `time` is from 1. */
  at(wave: number, stage: number, time: number): string | undefined;
  names(): Iterable<string>;
  notes: Notes;
}

/** Channels at positions. */
const MAX_STACKS = 1_000_000;

/** The name of a channel has no `_`: MetaMorph writes `-` instead. What is left of a name is of another file. */
const PARTS = /^(?:_w(\d{1,6})([^_/\\()]*))?(?:_s(\d{1,6}))?(?:_t(\d{1,7}))?\.(stk|tiff?)$/i;

const PART_NAMES = { wave: 'channels', stage: 'stage positions', time: 'time points (T)' } as const;

/**
 * Finds the files of a set. Where the `.nd` contradicts their names, they count.
 * @param names those in the folder
 * @param ndName name of the `.nd`
 * @throws AcqError `companion_missing` if there is none
 */
export function findFiles(names: readonly string[], ndName: string, nd: RawNd, folder: string): NdFiles {
  const stem = composed(ndName.replace(/\.nd$/i, ''));
  const all = names.flatMap((name) => parseName(name, stem, nd) ?? []);
  if (all.length === 0) {
    const advice = 'Copy them there; if the .nd was renamed, give it the name that its files begin with.';
    throw companionMissing(`every file of the set "${cleanName(stem)}" (.stk, .tif)`, folder, advice);
  }
  if (all.length > LIMITS.files)
    throw decodeFailed(`the set has ${grouped(all.length)} files; the limit is ${grouped(LIMITS.files)}`);
  const notes = new Notes();
  const form = chooseForm(all, nd, notes);
  const stacks = new Map<string, Map<number, FoundName>>();
  for (const found of all.filter((one) => isSame(one.form, form))) {
    const key = keyOf(found.wave, found.stage);
    const stack = stacks.get(key) ?? new Map<number, FoundName>();
    stacks.set(key, stack);
    const other = stack.get(found.time);
    if (other) notes.add(`Several files could be one plane of the set, such as ${found.name} and ${other.name}.`);
    if (!other || fitness(found, nd) > fitness(other, nd)) stack.set(found.time, found);
  }
  const chosen = [...stacks.values()].flatMap((stack) => [...stack.values()]);
  const [waves, stages, recorded] = (['wave', 'stage', 'time'] as const).map((part) =>
    [...new Set(chosen.map((found) => found[part]))].sort((a, b) => a - b),
  ) as [number[], number[], number[]];
  if (waves.length * stages.length > MAX_STACKS)
    throw decodeFailed(`the set has ${grouped(waves.length)} channels at ${grouped(stages.length)} positions`);
  const times = new Map([...stacks].map(([key, stack]) => [key, [...stack.keys()].sort((a, b) => a - b)]));
  describeCounts({ form, waves, stages, recorded }, nd, notes);
  const texts = new Map(chosen.toReversed().map(({ wave, waveText }) => [wave, waveText]));
  return {
    ...{ waves, stages, notes },
    times: Math.max(recorded.at(-1)!, form.time && nd.doTimelapse !== false ? (nd.timePoints ?? 0) : 0),
    waveText: (wave) => texts.get(wave) ?? '',
    timesOf: (wave, stage) => times.get(keyOf(wave, stage)) ?? [],
    at: (wave, stage, time) => stacks.get(keyOf(wave, stage))?.get(time)?.name,
    names: () => chosen.map(({ name }) => name),
  };
}

function keyOf(wave: number, stage: number): string {
  return `${wave} ${stage}`;
}

function parseName(name: string, stem: string, nd: RawNd): FoundName | undefined {
  const whole = composed(name);
  if (whole.slice(0, stem.length).toLowerCase() !== stem.toLowerCase()) return undefined;
  const match = PARTS.exec(whole.slice(stem.length));
  if (!match) return undefined;
  const [, digits, rest = '', stage, time, extension = ''] = match;
  const [wave, waveText] = digits === undefined ? [undefined, rest] : splitWave(digits, rest, nd);
  const numbers = [wave, stage, time].map((part) => (part === undefined ? 1 : Number(part)));
  if (numbers.includes(0)) return undefined;
  return {
    ...{ name, waveText, wave: numbers[0]!, stage: numbers[1]!, time: numbers[2]! },
    form: { wave: wave !== undefined, stage: stage !== undefined, time: time !== undefined },
    isStk: /stk/i.test(extension),
  };
}

/** The name of a channel follows its number at once, and may begin with digits: `w1488` is channel 1, `488`, where the `.nd` has it. */
function splitWave(digits: string, rest: string, { waves }: RawNd): [number: string, text: string] {
  for (let end = 1; end < digits.length; end++) {
    const [number, text] = [digits.slice(0, end), digits.slice(end) + rest];
    const name = waves.get(Number(number));
    if (name !== undefined && sameText(text, name)) return [number, text];
  }
  return [digits, rest];
}

function isSame(a: NameForm, b: NameForm): boolean {
  return a.wave === b.wave && a.stage === b.stage && a.time === b.time;
}

/** Returns the form of names that the `.nd` says, if there are such files, else that of most files. */
function chooseForm(all: readonly FoundName[], nd: RawNd, notes: Notes): NameForm {
  const said = { wave: nd.doWave ?? false, stage: nd.doStage ?? false, time: nd.doTimelapse ?? false };
  const count = (form: NameForm) => all.filter((one) => isSame(one.form, form)).length;
  const forms = all.map(({ form }) => form).filter((form, i, every) => every.findIndex((f) => isSame(f, form)) === i);
  const form = count(said) > 0 ? said : forms.sort((a, b) => count(b) - count(a))[0]!;
  const differs = (['wave', 'stage', 'time'] as const).filter((part) => form[part] !== said[part]);
  for (const part of differs) {
    notes.add(
      asInconsistent(
        form[part]
          ? `The .nd does not say that there are ${PART_NAMES[part]}, but the names of its files have them. They are shown.`
          : `The .nd says that there are ${PART_NAMES[part]}, but the names of its files have none. Showing what the files have.`,
      ),
    );
  }
  const others = all.length - count(form);
  if (others > 0) {
    const example = all.find((one) => !isSame(one.form, form))!;
    notes.add(
      `${plural(others, 'file')} with names of another form, such as ${cleanName(example.name)}, ${others === 1 ? 'is' : 'are'} not shown.`,
    );
  }
  return form;
}

/** How well a file fits what the `.nd` says, where several have the same numbers. */
function fitness({ wave, waveText, isStk }: FoundName, nd: RawNd): number {
  const isNamed = sameText(waveText, nd.waves.get(wave) ?? '');
  const wantsStk = (nd.version ?? 1) < 2 && nd.doZSeries === true && nd.wavesDoZ.get(wave) !== false;
  return (isNamed ? 2 : 0) + (isStk === wantsStk ? 1 : 0);
}

/** Characters that MetaMorph does not write into names are `-` there. */
function sameText(inFile: string, inNd: string): boolean {
  return (
    inFile.toLowerCase() ===
    composed(inNd)
      .replace(/[_/\\()]/g, '-')
      .toLowerCase()
  );
}

/** Notes numbers of the `.nd` that the files contradict. */
function describeCounts(
  found: { form: NameForm; waves: number[]; stages: number[]; recorded: number[] },
  nd: RawNd,
  notes: Notes,
): void {
  const { form, waves, stages, recorded } = found;
  const parts = [
    { is: form.wave, said: nd.wavelengths, numbers: waves, what: 'channel' },
    { is: form.stage, said: nd.stagePositions, numbers: stages, what: 'stage position' },
    { is: form.time, said: nd.timePoints, numbers: recorded, what: 'time point' },
  ];
  for (const { is, said, numbers, what } of parts) {
    const last = numbers.at(-1)!;
    if (!is || said === undefined) continue;
    if (last > said)
      notes.add(
        asInconsistent(
          `The .nd says ${plural(said, what)}, but there are files of number ${grouped(last)}. Showing these too.`,
        ),
      );
    // Time points without a file are zeros; a channel or position without any is left out.
    const absent = what === 'time point' ? 0 : said - numbers.filter((number) => number <= said).length;
    if (absent > 0)
      notes.add(
        asInconsistent(
          `The .nd says ${plural(said, what)}, but ${absent === 1 ? 'one has' : `${grouped(absent)} have`} no file. Not shown.`,
        ),
      );
  }
}
