/** Opens a recording in several files as one acquisition. What is in the files decides; their names only propose. */
import { type AcqError, companionMissing, ignoreCorrupted, invalidRequest, unsupported } from '../base/errors.js';
import { asCorrupted, asInconsistent } from '../base/warning-kinds.js';
import { grouped, plural, subjectFirst } from '../base/wording.js';
import type { Acquisition, Format, OpenInput, Reader } from '../model/acquisition.js';
import { inputBeside } from '../model/input-beside.js';
import { MAX_PARTS, type PartSigns, type RecordingEvidence } from '../model/recording.js';
import { joinedByNames, joinParts } from './joined.js';
import { findExport, type LeicaExport } from './leica-export.js';
import { findMaster, openMaster } from './master.js';
import { type CountedName, countedNames, hasNumber, type LabeledNames, labeledNames, withLastNumber } from './names.js';
import { filesInOrder, isSameRecording, Signs } from './one.js';

/** Missing names that a warning lists. */
const MAX_LISTED = 3;
/** Files of other recordings between two parts, behind which no part is looked for. */
const MAX_OTHERS = 32;
/** Missing files between two parts that are watched for. */
const MAX_WATCHED = 100;

/**
 * Opens all files of the recording that a file is a part of; the file alone, with a warning, when it is a part of none.
 * @param formats those that may be opened
 * @throws AcqError `request_validation_failed` for files that contradict each other, `companion_missing` when one of a
 * series is missing, and the errors of opening each of them
 */
export async function openRecording(
  input: OpenInput,
  reader: Reader,
  formats: readonly Format[],
): Promise<Acquisition> {
  const { probe, source, folder } = input;
  const read = await reader.loadSigns?.();
  const master = read && (await findMaster(input, formats));
  if (master) return openMaster(input, master);
  if (!source || !read) return openAlone(input, reader, 'files of this format are not joined');
  if (!hasNumber(probe.name)) return openAlone(input, reader, 'its name has no number that counts files');
  const own = ignoreCorrupted(() => read(source));
  if (!own) return openAlone(input, reader, 'it is not one of the files that are joined');
  const recording: Members = { input, reader, own, signs: new Signs(folder, read) };
  return own.counted ? openCounted(recording) : openLabeled(recording);
}

interface Members {
  input: OpenInput;
  reader: Reader;
  own: PartSigns;
  signs: Signs;
}

async function openAlone(input: OpenInput, reader: Reader, reason: string): Promise<Acquisition> {
  const opened = await reader.open(input);
  // A set of files that belong together by what is in them is open already.
  if (opened.files) return opened;
  for (const scene of opened.info.scenes) {
    scene.warnings = [...scene.warnings, `\`parts\` is \`all\`, but this file is shown alone: ${reason}.`];
  }
  return opened;
}

interface Counted extends CountedName {
  /** Number of its first frame. */
  first: number;
}

/** Opens files whose frame numbers go on from one to the next. */
async function openCounted({ input, reader, own, signs }: Members): Promise<Acquisition> {
  const { probe, folder } = input;
  const proposed = countedNames(probe.name, folder.list());
  if (proposed.length > MAX_PARTS) throw tooMany(proposed.length);
  const notes: string[] = [];
  const { members, unreadable } = findMembers(proposed, { input, reader, own, signs });
  const parts = inFrameOrder(members, probe.name, notes);
  const between = unreadable.filter(({ number }) => number > parts[0]!.number && number < parts.at(-1)!.number);
  notes.push(...between.map(({ name }) => asCorrupted(subjectFirst(name, 'cannot be read, so it was skipped.'))));
  if (parts.length < 2) {
    const others = proposed.length > 1 ? ', though other files have its name with another number' : '';
    return openAlone(input, reader, `no other file continues its frame numbers${others}`);
  }
  noteMissing(parts, proposed, input, notes);
  const names = parts.map(({ name }) => name);
  const part = names.indexOf(probe.name);
  const first = inputOf(input, names[0]!);
  const opened = await reader.open({ ...first, parts: names, ...(part > 0 && { part: probe.name }) });
  for (const scene of opened.info.scenes) scene.warnings = [...notes, ...scene.warnings];
  opened.info.recording = { parts: names.length, part: Math.max(0, part), along: ['T'], evidence: 'frame numbers' };
  return opened;
}

/** Looks at the files whose names are like that of the named one, from there in both directions while there are parts of the recording. */
function findMembers(proposed: readonly CountedName[], { input, own, signs }: Members) {
  const { name } = input.probe;
  const at = proposed.findIndex((file) => file.name === name);
  const members: Counted[] = [];
  const unreadable: CountedName[] = [];
  for (const step of [1, -1]) {
    let others = 0;
    for (let i = step > 0 ? at : at - 1; i >= 0 && i < proposed.length && others < MAX_OTHERS; i += step) {
      input.signal?.throwIfAborted();
      input.onProgress?.({ done: members.length, total: proposed.length });
      const file = proposed[i]!;
      const found = i === at ? own : signs.of(file.name);
      const isPart = isSameRecording(own, found);
      others = isPart ? 0 : others + 1;
      if (!found) unreadable.push(file);
      else if (isPart) members.push({ ...file, first: found.counted!.first });
      else if (found.counted?.recording === own.counted!.recording)
        throw contradiction(differsInShape(file.name, name));
    }
  }
  const byNumber = (a: CountedName, b: CountedName) => (a.number < b.number ? -1 : Number(a.number > b.number));
  return { members: members.sort(byNumber), unreadable: unreadable.sort(byNumber) };
}

/** Sorts files by their first frames; of two that begin with the same frame, the named one counts, else the first one. */
function inFrameOrder(members: readonly Counted[], named: string, notes: string[]): Counted[] {
  const sorted = members.toSorted((a, b) => a.first - b.first || Number(b.name === named) - Number(a.name === named));
  if (sorted.some((file, i) => file.first !== members[i]!.first)) {
    notes.push('The names of the files are not in the order of their frame numbers. The frame numbers were used.');
  }
  return sorted.filter((file, i) => {
    const before = sorted[i - 1];
    if (before?.first !== file.first) return true;
    const what = `begins with frame ${grouped(file.first)}, as ${before.name} does, so it was skipped.`;
    notes.push(subjectFirst(file.name, what));
    return false;
  });
}

/** Says which names between parts no file has, and watches for them and for the next one. @param present all files so named */
function noteMissing(
  parts: readonly Counted[],
  present: readonly CountedName[],
  { folder }: Pick<OpenInput, 'folder'>,
  notes: string[],
): void {
  const known = new Set(present.map(({ number }) => number));
  const inOrder = parts.toSorted((a, b) => (a.number < b.number ? -1 : 1));
  const [first, last] = [inOrder[0]!, inOrder.at(-1)!];
  const missing: string[] = [];
  for (let number = first.number + 1n; number < last.number && missing.length < MAX_WATCHED; number++) {
    if (!known.has(number)) missing.push(withLastNumber(first, number));
  }
  for (const name of missing) folder.noteAbsent(name);
  if (!known.has(last.number + 1n)) folder.noteAbsent(withLastNumber(last, last.number + 1n));
  if (missing.length === 0) return;
  const listed = missing.slice(0, MAX_LISTED).join(', ');
  const there = [...known].filter((number) => number >= first.number && number <= last.number).length;
  const count = last.number - first.number + 1n - BigInt(there);
  const more = count > MAX_LISTED ? `, and ${grouped(count - BigInt(MAX_LISTED))} more` : '';
  notes.push(asCorrupted(`By the names of the files, ${listed}${more} ${count === 1n ? 'is' : 'are'} missing.`));
}

/** Opens files whose names differ in labeled numbers only, and whose planes are alike. */
async function openLabeled(members: Members): Promise<Acquisition> {
  const { probe, folder } = members.input;
  const exported = findExport(members.input);
  if (exported) return openExport(members, exported);
  const names = labeledNames(probe.name, folder.list());
  if (!names) return openAlone(members.input, members.reader, whyAlone(probe.name, folder.list()));
  return joinLabeled(members, names, 'names');
}

/** Opens an exported image by what its XML says of it. */
async function openExport(members: Members, exported: LeicaExport): Promise<Acquisition> {
  const joined = await joinLabeled(members, exported.names, 'master file');
  const { info, files } = joined;
  const { xml } = exported;
  if (!info.recording || typeof files?.() === 'string') return joined;
  const { describeExport } = await import('./leica-facts.js');
  const scenes = describeExport(info.scenes, exported);
  const order = [...(files?.() ?? [])];
  if (!scenes) {
    const notes = [
      joinedByNames(order.length, exported.names.along),
      asInconsistent(`${xml} describes images of another size: nothing in it was used.`),
    ];
    for (const scene of info.scenes) scene.warnings = [...notes, ...scene.warnings];
    return { ...joined, info: { ...info, recording: { ...info.recording, evidence: 'names' } } };
  }
  // Part of what is watched for changes.
  members.input.folder.open(xml);
  return {
    ...joined,
    files: () => [...order, xml],
    info: { ...info, scenes, recording: { ...info.recording, master: xml } },
  };
}

async function joinLabeled(
  { input, reader, own, signs }: Members,
  names: LabeledNames,
  evidence: RecordingEvidence,
): Promise<Acquisition> {
  const { probe, folder } = input;
  const { files, along } = names;
  if (files.length > MAX_PARTS) throw tooMany(files.length);
  if (names.doubled) {
    const [one, other] = names.doubled;
    throw contradiction(`${one} and ${other} have the same numbers`);
  }
  if (names.missing !== undefined) {
    const what = `${names.missing}, of ${plural(files.length, 'file')} whose numbers (${along.join(', ')}) go together,`;
    throw companionMissing(what, folder.path, 'Copy it there, or open one file alone.');
  }
  const opened = await reader.open(input);
  if (opened.files) return opened;
  const order = filesInOrder(names);
  for (const name of [order[0]!, order.at(-1)!]) {
    const other = name === probe.name ? own : signs.of(name);
    if (!other) throw contradiction(`${name} cannot be read`);
    if (other.counted || other.shape !== own.shape) throw contradiction(differsInShape(name, probe.name));
  }
  return joinParts({
    names,
    evidence,
    order,
    named: { name: probe.name, opened },
    ...(input.signal && { signal: input.signal }),
    ...(input.onProgress && { onProgress: input.onProgress }),
    isKnown: input.isKnown ?? false,
    open: (name) => reader.open(inputOf(input, name)),
    contradiction,
  });
}

function whyAlone(name: string, folder: readonly string[]): string {
  const other = countedNames(name, folder).find((counted) => counted.name !== name);
  if (!other) return 'no other file in its folder has its name with another number';
  return (
    `${other.name} has another number, but nothing says what the number counts: neither frame numbers in the files nor ` +
    'a letter in front of it (t, z, c)'
  );
}

/** @throws AcqError `companion_missing` */
function inputOf(input: OpenInput, name: string): OpenInput {
  const beside = inputBeside(input, name);
  if (!beside) throw companionMissing(name, input.folder.path);
  return beside;
}

const differsInShape = (name: string, other: string) =>
  `the planes of ${name} are not of the size and type of those of ${other}`;

function contradiction(what: string): AcqError {
  const message = `The files cannot be opened as one recording: ${what}. Open one file (\`parts\`: \`one\`).`;
  return invalidRequest(['body', 'parts'], message, 'parts_contradict');
}

function tooMany(count: number): AcqError {
  return unsupported(
    `${grouped(count)} files look like parts of one recording; the limit is ${grouped(MAX_PARTS)}. Open one file (\`parts\`: \`one\`).`,
  );
}
