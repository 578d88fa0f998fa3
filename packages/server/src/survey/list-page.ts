/** One answer of the list of a folder that says what is in each recording: a few at a time, in a limited time. */
import { basename, dirname } from 'node:path';
import type { FolderEntry } from '@acquisition-store/client/contract/files.js';
import { AcqError } from '@acquisition-store/readers/base/errors.js';
import { isCertain } from '@acquisition-store/readers/model/recording.js';
import { isOwnName } from '../paths/recording-names.js';
import { toDetails } from './details.js';
import type { KnownFiles } from './known-files.js';
import type { Survey } from './survey.js';
import { mainFileOf } from './whole-recording.js';

/** Entries of one answer. */
export const PAGE_ENTRIES = 100;
/** Milliseconds after which an answer takes no more of them. */
const PAGE_MS = 2_000;
/** Recordings that are surveyed before it is their turn; those who survey them decide how many really are at a time. */
const AHEAD = 4;
/** Milliseconds after that for which recordings that have begun are waited for; the next answer begins with them again. */
const PATIENCE_MS = 3_000;
/** Codes that say nothing about a file: it is asked for again. */
const PASSING = ['capacity_exceeded', 'storage_unavailable'];

/** Surveys the recording at a path. `wholeOf`: see `SurveyOptions`. */
export type SurveyPath = (path: string, wholeOf: 'first' | 'any') => Promise<Survey>;

export interface DetailedEntries {
  entries: FolderEntry[];
  /** How many of the listed entries the answer is about. */
  taken: number;
}

type Told = { survey: Survey } | { error: AcqError };

/**
 * Adds details to the recordings of a list, in their order, until time is over: at least to one of them. Leaves out files that belong
 * to another recording, and files of other programs.
 * @throws AcqError when the server is busy, or the storage does not answer, before the first one is known; what else `survey` throws
 */
export async function detail(
  listed: readonly FolderEntry[],
  known: KnownFiles,
  survey: SurveyPath,
  milliseconds = PAGE_MS,
): Promise<DetailedEntries> {
  const until = performance.now() + milliseconds;
  const overdue = after(milliseconds + PATIENCE_MS);
  const page = new DetailedPage(known);
  const ahead = new Map<number, Promise<Told>>();
  let started = 0;
  let taken = 0;
  while (taken < listed.length) {
    for (
      ;
      started < listed.length && started < taken + AHEAD && (started === 0 || performance.now() < until);
      started++
    ) {
      const entry = listed[started]!;
      if (entry.openable && !known.has(entry.path)) ahead.set(started, tell(entry.path, 'first', survey));
    }
    if (taken >= started) break;
    const next = ahead.get(taken);
    const told = await (taken === 0 ? next : Promise.race([next, overdue]));
    ahead.delete(taken);
    const entry = listed[taken]!;
    if (told === 'overdue') break;
    // The list began behind the first file, or what belongs together was forgotten.
    const again = isPartToJoin(entry, told, known) ? tell(entry.path, 'any', survey) : told;
    const whole = await (taken === 0 ? again : Promise.race([again, overdue]));
    if (whole === 'overdue') break;
    const passing = passingErrorOf(told) ?? passingErrorOf(whole);
    if (passing) {
      if (taken === 0) throw passing;
      break;
    }
    if (!told || !whole) page.addUnread(entry);
    else page.add(entry, 'survey' in whole ? whole : told);
    taken++;
  }
  return { entries: page.entries, taken };
}

/** True for a file whose frames follow those of another one, which has not been listed. */
function isPartToJoin({ path }: FolderEntry, told: Told | undefined, known: KnownFiles): boolean {
  if (!told || !('survey' in told) || known.has(path)) return false;
  const { recording } = told.survey;
  return recording !== undefined && recording.part > 0 && isCertain(recording);
}

function passingErrorOf(told: Told | undefined): AcqError | undefined {
  return told && 'error' in told && PASSING.includes(told.error.code) ? told.error : undefined;
}

function after(milliseconds: number): Promise<'overdue'> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds, 'overdue').unref());
}

/** A rejection that nobody waits for would end the process. */
function tell(path: string, wholeOf: 'first' | 'any', survey: SurveyPath): Promise<Told> {
  const told = survey(path, wholeOf).then(
    (value) => ({ survey: value }),
    (error: unknown) => {
      if (error instanceof AcqError) return { error };
      throw error;
    },
  );
  told.catch(() => {});
  return told;
}

class DetailedPage {
  entries: FolderEntry[] = [];
  private readonly known: KnownFiles;

  constructor(known: KnownFiles) {
    this.known = known;
  }

  /** Adds a folder to look into. */
  addUnread(entry: FolderEntry): void {
    if (!entry.openable) this.entries.push(entry);
  }

  add(entry: FolderEntry, told: Told): void {
    const { path } = entry;
    if (this.known.has(path)) return;
    if ('error' in told) {
      const { code, message } = told.error;
      // Files of other programs have some of the extensions, too: any XML, any archive.
      if (code === 'unsupported_format' && !isOwnName(basename(path))) return;
      this.push(entry, { ok: false, error: code, message });
      return;
    }
    this.addSurvey(entry, told.survey);
  }

  private addSurvey(entry: FolderEntry, survey: Survey): void {
    // The other files of one that is reached by a link are in a folder that is not listed.
    const isLinked = dirname(survey.path) !== dirname(entry.path);
    const main = isLinked ? undefined : mainFileOf(survey);
    this.known.add(entry.path, survey, main);
    // The list has the main file elsewhere.
    if (main !== undefined) return;
    // One of the files before may belong to this one.
    this.entries = this.entries.filter(({ path }) => !this.known.has(path));
    this.push(entry, toDetails(survey));
  }

  private push(entry: FolderEntry, details: NonNullable<FolderEntry['recording']>['details']): void {
    const { recording = { format: null, files: 1 } } = entry;
    const format = details?.ok ? details.formatName : recording.format;
    this.entries.push({ ...entry, recording: { ...recording, format, ...(details ? { details } : {}) } });
  }
}
