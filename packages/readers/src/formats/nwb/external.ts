/** Frames in TIFF files beside the NWB file. */
import { latin1 } from '../../base/bytes.js';
import { AcqError, decodeFailed, unsupported } from '../../base/errors.js';
import { LIMITS } from '../../base/limits.js';
import { grouped, plural } from '../../base/wording.js';
import type { ByteSource } from '../../io/byte-source.js';
import type { PlaneTarget } from '../../model/samples/plane-target.js';
import { openTiff } from '../../tiff/parse.js';
import { readPageSample } from '../../tiff/read-page.js';
import type { PageLayout, TiffFile } from '../../tiff/types.js';
import { type ExternalName, parseExternalName, tiffName } from './external-names.js';

/** TIFF tag of a page's description. */
const IMAGE_DESCRIPTION = 270;

/** Opens a file in the folder of the NWB file. @throws AcqError `path_not_allowed` for a name outside the folder */
export type OpenBeside = (name: string) => ByteSource | undefined;

/** The frames of one series: the pages of its files, one file after the other. */
export class ExternalFrames {
  readonly layout: PageLayout;
  readonly frames: number;
  readonly warnings: readonly string[];
  private readonly files: { name: string; file: TiffFile; first: number }[] = [];

  /**
   * @param owner name of the NWB file, for messages
   * @throws AcqError `companion_missing` for a missing file, `unsupported_format` for one that is not a TIFF
   */
  constructor(names: readonly string[], open: OpenBeside, owner: string) {
    if (names.length > LIMITS.files)
      throw decodeFailed(`the series lists ${grouped(names.length)} files; the limit is ${grouped(LIMITS.files)}`);
    let frames = 0;
    const replaced = new Replacements();
    for (const text of names) {
      const name = parseExternalName(text);
      const found = findBeside(name, open);
      const file = openFrames(name, found, owner);
      if (found) replaced.note(name, found);
      this.files.push({ name: found?.name ?? name.shown, file, first: frames });
      frames += file.pageCount;
    }
    this.warnings = [...replaced.warnings(), ...this.files.flatMap(({ file }) => file.warnings)];
    const first = this.files[0]?.file;
    if (!first) throw decodeFailed('the series does not name a file with its frames');
    this.layout = first.page(0).layout;
    this.frames = frames;
    checkStack(first, names[0]!);
  }

  /** Names of the files. */
  get sources(): string[] {
    return this.files.map(({ file }) => file.source.name);
  }

  async read(frame: number, sample: number, target: PlaneTarget, signal?: AbortSignal): Promise<void> {
    const at = this.files.findLast(({ first }) => first <= frame);
    if (!at) throw decodeFailed(`frame ${frame} is out of range`);
    const page = at.file.page(frame - at.first);
    const { width, height, sampleType, samplesPerPixel } = page.layout;
    const expected = this.layout;
    if (
      sampleType !== expected.sampleType ||
      samplesPerPixel !== expected.samplesPerPixel ||
      width !== expected.width
    ) {
      throw decodeFailed(
        `page ${frame - at.first} is ${grouped(height)} × ${grouped(width)} ${sampleType}, the first frame is ` +
          `${grouped(expected.height)} × ${grouped(expected.width)} ${expected.sampleType}`,
      ).about(at.name);
    }
    await readPageSample(at.file, page, sample, target, signal);
  }
}

/** Warnings about single files; the other files are counted. */
const MAX_LISTED = 3;

/** Files beside the NWB file that are read in place of others with the same base name. */
class Replacements {
  private readonly taken = new Map<string, { name: ExternalName; isExact: boolean }>();

  /** @throws AcqError `unsupported_format` when one file would be read in place of two */
  note(name: ExternalName, found: FoundFile): void {
    const isExact = found.name === name.relative;
    const before = this.taken.get(found.name);
    if (before && before.name.text !== name.text && !(isExact && before.isExact)) {
      throw unsupported(
        `the frames are in "${before.name.shown}" and "${name.shown}", which have the same base name, so one file would stand ` +
          'for both. Correct external_file in the NWB file.',
      );
    }
    this.taken.set(found.name, { name, isExact });
  }

  warnings(): string[] {
    const replaced = [...this.taken].filter(([, { isExact }]) => !isExact);
    const listed = replaced
      .slice(0, MAX_LISTED)
      .map(([found, { name }]) => `The frames of "${name.shown}" are read from ${found} in the same folder.`);
    const more = replaced.length - listed.length;
    return more > 0
      ? [
          ...listed,
          `${plural(more, 'more file')} in the same folder ${more === 1 ? 'was' : 'were'} found by base name.`,
        ]
      : listed;
  }
}

interface FoundFile {
  /** In the folder of the NWB file. */
  name: string;
  source: ByteSource;
}

/** Looks for the exact path below the folder, then for the base name beside the NWB file. Never downloads anything. */
function findBeside({ relative, lastNames }: ExternalName, open: OpenBeside): FoundFile | undefined {
  const fallbacks = lastNames.flatMap((name) => [name, tiffName(name)]);
  let other: FoundFile | undefined;
  for (const name of new Set([...(relative === undefined ? [] : [relative]), ...fallbacks])) {
    const source = open(name);
    if (source && isTiff(source)) return { name, source };
    other ??= source && { name, source };
  }
  return other;
}

/** @throws AcqError that names a file that `findBeside` would find */
function openFrames(name: ExternalName, found: FoundFile | undefined, owner: string): TiffFile {
  if (found && isTiff(found.source)) return openTiff(found.source);
  const { shown, isWeb, lastNames } = name;
  const place = `in the folder of ${owner}`;
  const [last] = lastNames;
  if (last === undefined) throw decodeFailed(`the frames are in "${shown}", which does not name a file`);
  if (found) {
    throw unsupported(
      `the frames are in "${found.name}", which is not a TIFF file. Save them as ${tiffName(last)} ${place}.`,
    );
  }
  const expected = tiffName(last);
  const verb = expected === last ? 'Put' : 'Save the frames as';
  if (isWeb) {
    throw companion(`the frames are at ${shown}, and files are never downloaded. ${verb} ${expected} ${place}.`);
  }
  throw companion(`the frames are in "${shown}", which was not found ${place}. ${verb} ${expected} there.`);
}

/** The caller adds the name of the file. */
function companion(message: string): AcqError {
  return new AcqError('companion_missing', message);
}

function isTiff(source: ByteSource): boolean {
  const head = source.read(0, Math.min(4, source.size));
  return /^(II[*+]\0|MM\0[*+])$/.test(latin1(head));
}

/** Refuses ImageJ stacks with one page for all frames, which are read when the TIFF itself is opened. */
function checkStack(file: TiffFile, name: string): void {
  const images = /^images=(\d+)/m.exec(file.page(0).text(IMAGE_DESCRIPTION) ?? '')?.[1];
  if (images !== undefined && file.pageCount === 1 && Number(images) > 1) {
    throw unsupported(
      `the pixels are in ${name.slice(0, 200)}, an ImageJ stack of ${images} frames in one page. Open that file.`,
    );
  }
}
