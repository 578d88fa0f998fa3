/** Surveys of all recordings of files and folders: each once, without the files that accompany it. */
import { existsSync } from 'node:fs';
import type { Survey, SurveyChoice } from '../survey/survey.js';
import { listedPath, mainFileOf } from '../survey/whole-recording.js';
import type { SurveyJob } from './protocol.js';
import { type RunnerOptions, runJobs, type Settled } from './runner.js';
import { type FoundRecording, walkRecordings } from './walk.js';

/** A recording with its survey, or with the reason why there is none. */
export type Surveyed = FoundRecording & ({ survey: Survey } | { error: unknown });

export interface SurveysOptions extends RunnerOptions, SurveyChoice {}

/**
 * Recordings of a folder that are held back, because a later file may say that one of them accompanies it. Most say so by
 * their names, or come first.
 */
const MAX_HELD = 256;
/** Files that are known to accompany others; beyond it, they are listed. */
const MAX_CLAIMED = 2_000_000;

/**
 * Surveys what is at paths, folders with all folders below them. Yields in order, and while it works; once the
 * signal aborts, what is known already.
 */
export async function* surveyAll(
  paths: Iterable<string> | AsyncIterable<string>,
  options: SurveysOptions,
): AsyncGenerator<Surveyed> {
  const companions = new KnownCompanions();
  const taken: FoundRecording[] = [];
  const held = new HeldRecordings(companions);
  const surveys = runJobs<'survey'>(toJobs(paths, options, companions, taken), options);
  for await (const settled of surveys) {
    for (const one of settle(taken, settled)) yield* held.add(one);
  }
  // What is left has no result when the search was stopped.
  if (!options.signal.aborted) for (const found of taken) yield* held.add(found as Surveyed);
  yield* held.flush();
}

/** Looks for recordings as they are needed. */
async function* toJobs(
  paths: Iterable<string> | AsyncIterable<string>,
  { planes, thumbnail = false }: SurveyChoice,
  companions: KnownCompanions,
  taken: FoundRecording[],
): AsyncGenerator<SurveyJob> {
  for await (const path of paths) {
    for await (const found of walkRecordings(path)) {
      if (found.folder !== found.path && companions.has(found.path)) continue;
      taken.push(found);
      if (found.error === undefined) yield { kind: 'survey', path: found.path, planes, thumbnail };
    }
  }
}

/** Returns what was found before a job that has ended, and the recording of the job. */
function settle(taken: FoundRecording[], settled: Settled<Survey>): Surveyed[] {
  const before: Surveyed[] = [];
  for (let found = taken.shift(); found; found = taken.shift()) {
    if (found.error === undefined) {
      const result = 'error' in settled ? { error: settled.error } : { survey: settled.value };
      return [...before, { ...found, ...result }];
    }
    before.push(found as Surveyed);
  }
  return before;
}

/** Returns the file that stands for a recording, unless only a link to another of its files is in the folder. */
function mainBeside({ path, survey }: Pick<FoundRecording, 'path'> & { survey: Survey }): string | undefined {
  const main = mainFileOf(survey);
  if (main === undefined || !existsSync(listedPath(path, survey.path, main))) return undefined;
  return main;
}

/** Files that accompany a recording. */
class KnownCompanions {
  private readonly files = new Set<string>();

  has(path: string): boolean {
    return this.files.has(path);
  }

  /** Adds the files of a recording but the one that stands for it. */
  add({ path, survey }: FoundRecording & { survey: Survey }): void {
    const { path: opened, files } = survey;
    const main = mainBeside({ path, survey });
    for (const file of files ?? []) {
      const isMain = main === undefined ? file === path || file === opened : file === main;
      if (isMain || this.files.size >= MAX_CLAIMED) continue;
      this.files.add(file);
      this.files.add(listedPath(path, opened, file));
    }
  }
}

/** The latest recordings of one folder. */
class HeldRecordings {
  private readonly companions: KnownCompanions;
  private entries: Surveyed[] = [];

  constructor(companions: KnownCompanions) {
    this.companions = companions;
  }

  /** Yields what no file of the folder can claim any more. */
  *add(one: Surveyed): Generator<Surveyed> {
    if (this.entries[0] && this.entries[0].folder !== one.folder) yield* this.flush();
    // What was named is shown, whatever it belongs to. Of a set whose files all open it, the first file stands for it.
    const isNamed = one.folder === one.path;
    if (!isNamed && this.companions.has(one.path)) return;
    if ('survey' in one) {
      this.companions.add(one);
      // The file that describes it comes later.
      if (!isNamed && mainBeside(one) !== undefined) return;
    }
    this.entries = this.entries.filter(({ path, folder }) => folder === path || !this.companions.has(path));
    this.entries.push(one);
    if (this.entries.length > MAX_HELD) yield this.entries.shift()!;
  }

  *flush(): Generator<Surveyed> {
    yield* this.entries.splice(0);
  }
}
