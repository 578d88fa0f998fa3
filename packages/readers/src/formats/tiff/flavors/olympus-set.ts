import { companionMissing, decodeFailed } from '../../../base/errors.js';
import { LIMITS } from '../../../base/limits.js';
import { about } from '../../../base/subject.js';
import { asCorrupted } from '../../../base/warning-kinds.js';
import { grouped, plural, subjectFirst } from '../../../base/wording.js';
import { NameIndex } from '../../../io/name-index.js';
import { type GridAxis, gridSize, toIndices } from '../../../model/metadata/mixed-radix.js';
import type { TiffFile } from '../../../tiff/types.js';
import type { FlavorContext } from '../arrangement.js';
import { type MemberName, parseMemberName } from './olympus-files.js';
import type { SidecarSettings } from './olympus-settings.js';

/** The files of one image: a single file, or one per channel (and per section and time point of frame scans). */
export interface ExportedFiles {
  channels: number;
  /** Sections and time points that have files of their own; 1 × 1 if they are pages. */
  sections: number;
  times: number;
  /** Position of the opened file among the sections and time points, 0-based. */
  opened: { z: number; t: number };
  /** Opens a member by its 0-based indices. @throws AcqError `companion_missing`, or `decode_failed` if its shape differs */
  file(channel: number, z: number, t: number): TiffFile;
  /** Names of all members. */
  names(): Iterable<string>;
}

/**
 * Finds the split set that the opened file belongs to: all its members or, if one is missing, only the opened file and a
 * note with the name of the missing one.
 */
export function findExportedFiles(context: FlavorContext, settings: SidecarSettings): ExportedFiles {
  const member = parseMemberName(context.input.probe.name);
  if (!member) return openedFile(context);
  const hasOnePage = context.file.pageCount === 1;
  const set = new MemberSet(context, member, {
    channels: settings.channelCount,
    sections: hasOnePage && member.hasZ ? settings.sizes.Z : 1,
    times: hasOnePage && member.hasT ? settings.sizes.T : 1,
  });
  const isInside = member.channel >= 1 && member.channel <= set.channels;
  if (set.total === 1 || !isInside) return openedFile(context);
  const missing = set.findMissing();
  if (missing) {
    const more = missing.others > 0 ? `, with ${grouped(missing.others)} more` : '';
    const problem = `is missing${more} of the ${plural(set.total, 'file')} that the text file describes`;
    const advice = 'Showing only the opened file. Copy the missing files into the same folder.';
    context.notes.add(asCorrupted(subjectFirst(missing.name, `${problem}. ${advice}`)));
    return openedFile(context);
  }
  // Compare the channels now: a plane of another shape would fail only when it is read.
  for (let channel = 0; channel < set.channels; channel++) set.file(channel, 0, 0);
  return set;
}

function openedFile(context: FlavorContext): ExportedFiles {
  const { name } = context.input.probe;
  return {
    channels: 1,
    sections: 1,
    times: 1,
    opened: { z: 0, t: 0 },
    file: () => context.file,
    names: () => [name],
  };
}

/** A split set. An axis without files of its own keeps the number of the opened file. */
class MemberSet implements ExportedFiles {
  readonly channels: number;
  readonly sections: number;
  readonly times: number;
  readonly total: number;
  readonly opened: { z: number; t: number };
  private readonly context: FlavorContext;
  private readonly member: MemberName;
  private readonly axes: GridAxis[];
  /** Names in the folder by their lower-case form. */
  private present: NameIndex | undefined;

  constructor(context: FlavorContext, member: MemberName, size: { channels: number; sections: number; times: number }) {
    this.context = context;
    this.member = member;
    this.channels = size.channels;
    this.sections = size.sections;
    this.times = size.times;
    this.axes = [
      { kind: 'C', size: size.channels },
      { kind: 'Z', size: size.sections },
      { kind: 'T', size: size.times },
    ];
    this.total = gridSize(this.axes);
    this.opened = { z: size.sections > 1 ? member.z - 1 : 0, t: size.times > 1 ? member.t - 1 : 0 };
  }

  file(channel: number, z: number, t: number): TiffFile {
    const { input, file: openedFile, siblings } = this.context;
    const expected = this.memberName(channel, z, t);
    if (expected.toLowerCase() === input.probe.name.toLowerCase()) return openedFile;
    const name = this.spelled(expected) ?? expected;
    const file = siblings.open(name);
    if (!file) throw companionMissing(`"${name}", a file of this set,`, input.folder.path);
    about(name, () => checkShape(file, this.context));
    return file;
  }

  *names(): Generator<string> {
    for (let i = 0; i < this.total; i++) {
      const name = this.nameAt(i);
      yield this.spelled(name) ?? name;
    }
  }

  /** Returns the first missing file and the number of others. Sets beyond the limit on files count as incomplete. */
  findMissing(): { name: string; others: number } | undefined {
    let first: string | undefined;
    let present = 0;
    for (let i = 0; i < Math.min(this.total, LIMITS.files); i++) {
      const name = this.nameAt(i);
      if (this.spelled(name) !== undefined) present++;
      else first ??= name;
    }
    if (present === this.total) return undefined;
    return { name: first ?? `file ${grouped(LIMITS.files + 1)}`, others: this.total - present - 1 };
  }

  private nameAt(index: number): string {
    const { C, Z, T } = toIndices(this.axes, index);
    return this.memberName(C, Z, T);
  }

  private memberName(channel: number, z: number, t: number): string {
    const { member } = this;
    return member.withNumbers(channel + 1, this.sections > 1 ? z + 1 : member.z, this.times > 1 ? t + 1 : member.t);
  }

  /** Returns a name as in the folder, or `undefined` if there is no such file. Ignores case. */
  private spelled(name: string): string | undefined {
    this.present ??= new NameIndex(this.context.input.folder.list());
    return this.present.find(name);
  }
}

function checkShape(file: TiffFile, context: FlavorContext): void {
  const expected = context.page.layout;
  const { layout } = file.page(0);
  const matches =
    layout.width === expected.width &&
    layout.height === expected.height &&
    layout.sampleType === expected.sampleType &&
    layout.samplesPerPixel === expected.samplesPerPixel &&
    file.pageCount === context.file.pageCount;
  if (matches) return;
  const shape = ({ height, width, sampleType }: typeof expected, pages: number) =>
    `${pages > 1 ? `${plural(pages, 'page')} of ` : ''}${grouped(height)} × ${grouped(width)} pixels of type ${sampleType}`;
  throw decodeFailed(
    `has ${shape(layout, file.pageCount)}, but ${context.input.probe.name} has ` +
      `${shape(expected, context.file.pageCount)}. All channels of a scan must have the same shape. ` +
      'Export the scan again, or move one file to another folder to open it alone.',
  );
}
