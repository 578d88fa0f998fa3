/** Reads everything that an NWB file describes: images of the Python acqstore, then series and images. */
import { AcqError, unsupported } from '../../base/errors.js';
import { Notes } from '../../base/notes.js';
import { messageIn, quoteError } from '../../base/subject.js';
import { subjectFirst } from '../../base/wording.js';
import type { Hdf5File } from '../../hdf5/file.js';
import { isIsoDateTime, NO_CLOCK, parseDateTime, type WallClock } from '../../model/metadata/dates.js';
import { acqstoreImages } from './acqstore.js';
import { readMember } from './members.js';
import { checkNwb, findSeries } from './parse.js';
import { type Beside, type NwbScene, toScene } from './scenes.js';

/** Reasons that a message lists when nothing can be read. */
const MAX_REASONS = 3;

export interface NwbContents {
  /** Never empty. */
  scenes: NwbScene[];
  /** Date and time of the session. */
  clock: WallClock;
  /** What the times of all series count from, in ISO 8601; missing when the file does not say it so. */
  reference?: string | undefined;
  /** Warnings about the file as a whole. */
  notes: Notes;
}

/** @throws AcqError `unsupported_format`, `decode_failed`, `companion_missing`, `plane_too_large` when no scene can be read */
export async function readScenes(file: Hdf5File, beside: Beside, signal?: AbortSignal): Promise<NwbContents> {
  checkNwb(file);
  const search = findSeries(file);
  const acqstore = await acqstoreImages(file);
  const notes = new Notes();
  notes.addAll(search.notes);
  notes.addAll(acqstore.notes);
  const scenes = [...acqstore.scenes];
  const failures: { name: string; error: AcqError }[] = [];
  for (const item of search.items) {
    signal?.throwIfAborted();
    if (acqstore.parts.has(item.object)) continue;
    try {
      scenes.push(await toScene(item, beside));
    } catch (error) {
      if (!(error instanceof AcqError)) throw error;
      failures.push({ name: item.name, error });
    }
  }
  if (scenes.length === 0) {
    const reasons = failures.map(({ name, error }) => subjectFirst(name, messageIn(file.name, error)));
    reasons.push(...search.reasons.list(), ...acqstore.notes.list());
    throw nothingToRead(reasons, failures[0]?.error ?? search.failure);
  }
  for (const { name, error } of failures) notes.add(quoteError(`${name} was skipped`, error));
  return { scenes, ...(await sessionTimes(file, notes)), notes };
}

/** The first failure gives the code, so that a missing file or an image that is too large is reported as such. */
function nothingToRead(reasons: readonly string[], first: AcqError | undefined): AcqError {
  const listed = reasons.slice(0, MAX_REASONS).join('; ');
  if (first) return new AcqError(first.code, `nothing in the file can be read. ${listed}`, { cause: first });
  return unsupported(`is an NWB file without image series, line scans or images. ${listed}`.trim());
}

/** Reads the date and time of the session as written, without regard to the time zone, and what times count from. */
async function sessionTimes(file: Hdf5File, notes: Notes): Promise<Pick<NwbContents, 'clock' | 'reference'>> {
  try {
    const textOf = async (name: string) => (await readMember(file.root, name))?.texts?.[0] ?? '';
    const start = await textOf('session_start_time');
    const reference = (await textOf('timestamps_reference_time')) || start;
    return { clock: parseDateTime(start) ?? NO_CLOCK, reference: isIsoDateTime(reference) ? reference : undefined };
  } catch (error) {
    if (!(error instanceof AcqError)) throw error;
    notes.add(quoteError('The start of the session was ignored', error.about(file.name)));
    return { clock: NO_CLOCK };
  }
}
