import { companionMissing, decodeFailed } from '../../../errors.js';
import { LIMITS } from '../../../io/limits.js';
import type { TiffFile } from '../../../tiff/types.js';
import type { FlavorContext } from '../arrangement.js';
import type { SidecarFacts } from './olympus-facts.js';
import { type MemberName, parseMemberName } from './olympus-files.js';

/** The files that make up one image: one file, or one per channel (and per section and time point of frame scans). */
export interface FileSet {
  channels: number;
  /** Sections and time points that are spread over files; 1 × 1 when they are pages. */
  sections: number;
  times: number;
  /** Where the opened file stands among the sections and time points; 0-based. */
  own: { z: number; t: number };
  /** 0-based. Opens the member. @throws AcqError when it is gone, or unlike the others */
  file(channel: number, z: number, t: number): TiffFile;
  /** Names of all members. */
  names(): Iterable<string>;
}

/**
 * The split set that the opened file belongs to: all of its members, or, when one is missing, the opened file alone and
 * a warning that names the missing one.
 */
export function findSet(context: FlavorContext, facts: SidecarFacts): FileSet {
  const member = parseMemberName(context.input.probe.name);
  if (!member) return single(context);
  const onePage = context.file.pageCount === 1;
  const set = {
    channels: facts.channelCount,
    sections: onePage && member.hasZ ? facts.sizes.Z : 1,
    times: onePage && member.hasT ? facts.sizes.T : 1,
  };
  const total = set.channels * set.sections * set.times;
  const inside = member.channel >= 1 && member.channel <= set.channels;
  if (total === 1 || !inside) return single(context);
  const present = presentNames(context);
  const missing = findMissing(member, set, total, present);
  if (missing) {
    context.warnings.push(
      `${missing.name}: is missing${missing.others > 0 ? ` with ${missing.others} more` : ''} of the ${total} files ` +
        'that the text file announces; only the opened file is shown. Copy the missing ones into the same folder.',
    );
    return single(context);
  }
  const own = { z: set.sections > 1 ? member.z - 1 : 0, t: set.times > 1 ? member.t - 1 : 0 };
  const names = () => memberNames(member, set, present);
  const byChannel = { ...set, own, names, file: opener(context, member, set, present) };
  // Channels are compared at once: a plane of another shape would be found too late.
  for (let channel = 0; channel < set.channels; channel++) byChannel.file(channel, 0, 0);
  return byChannel;
}

interface SetSize {
  channels: number;
  sections: number;
  times: number;
}

function single(context: FlavorContext): FileSet {
  const own = context.input.probe.name;
  return { channels: 1, sections: 1, times: 1, own: { z: 0, t: 0 }, file: () => context.file, names: () => [own] };
}

/** Numbers of a name for an index of the set; an axis that is not spread over files keeps the opened file's number. */
function memberAt(member: MemberName, set: SetSize, channel: number, z: number, t: number): string {
  return member.withNumbers(channel + 1, set.sections > 1 ? z + 1 : member.z, set.times > 1 ? t + 1 : member.t);
}

/** The first file of the set that is not there, and how many others; sets beyond the limit are not looked through. */
function findMissing(
  member: MemberName,
  set: SetSize,
  total: number,
  present: (name: string) => string | undefined,
): { name: string; others: number } | undefined {
  let first: string | undefined;
  let there = 0;
  for (let i = 0; i < Math.min(total, LIMITS.files); i++) {
    const rest = Math.floor(i / set.channels);
    const name = memberAt(member, set, i % set.channels, rest % set.sections, Math.floor(rest / set.sections));
    if (present(name) !== undefined) there++;
    else first ??= name;
  }
  if (there === total) return undefined;
  return { name: first ?? `file ${LIMITS.files + 1}`, others: total - there - 1 };
}

/** Looks names up in the folder's list, read once, without regard to case. */
function presentNames(context: FlavorContext): (name: string) => string | undefined {
  const byLowerCase = new Map(context.input.folder.list().map((name) => [name.toLowerCase(), name]));
  return (name) => byLowerCase.get(name.toLowerCase());
}

function* memberNames(
  member: MemberName,
  set: SetSize,
  present: (name: string) => string | undefined,
): Generator<string> {
  for (let t = 0; t < set.times; t++) {
    for (let z = 0; z < set.sections; z++) {
      for (let channel = 0; channel < set.channels; channel++) {
        const name = memberAt(member, set, channel, z, t);
        yield present(name) ?? name;
      }
    }
  }
}

function opener(
  context: FlavorContext,
  member: MemberName,
  set: SetSize,
  present: (name: string) => string | undefined,
): FileSet['file'] {
  const own = context.input.probe.name.toLowerCase();
  return (channel, z, t) => {
    const wanted = memberAt(member, set, channel, z, t);
    if (wanted.toLowerCase() === own) return context.file;
    const name = present(wanted) ?? wanted;
    const file = context.openTiff(name);
    if (!file)
      throw companionMissing(context.input.probe.name, `"${name}", a file of this set,`, context.input.folder.path);
    checkAlike(name, file, context);
    return file;
  };
}

function checkAlike(name: string, file: TiffFile, context: FlavorContext): void {
  const own = context.page.layout;
  const { layout } = file.page(0);
  const alike =
    layout.width === own.width &&
    layout.height === own.height &&
    layout.sampleType === own.sampleType &&
    layout.samplesPerPixel === own.samplesPerPixel &&
    file.pageCount === context.file.pageCount;
  if (alike) return;
  const shape = (l: typeof own, pages: number) =>
    `${pages > 1 ? `${pages} pages of ` : ''}${l.height} × ${l.width} ${l.sampleType}`;
  throw decodeFailed(
    `${name}: is ${shape(layout, file.pageCount)}, but ${context.input.probe.name} is ` +
      `${shape(own, context.file.pageCount)}; channels of one scan have one shape. Export it again, or open a file alone ` +
      'in another folder.',
  );
}
