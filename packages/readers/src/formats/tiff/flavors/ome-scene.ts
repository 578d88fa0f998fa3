import { AcqError, decodeFailed, ignoreCorrupted } from '../../../base/errors.js';
import { LIMITS } from '../../../base/limits.js';
import { Notes } from '../../../base/notes.js';
import { asCorrupted, asInconsistent } from '../../../base/warning-kinds.js';
import { countAre, grouped, plural } from '../../../base/wording.js';
import type { PlaneAddress, ReadColumns, SceneInfo } from '../../../model/acquisition.js';
import { NO_CLOCK, parseDateTime } from '../../../model/metadata/dates.js';
import { gridSize, planeNumber, splitChannel, toIndices } from '../../../model/metadata/mixed-radix.js';
import { cleanName } from '../../../model/metadata/names.js';
import { omeInstrument, planeAxes, type RawOmeImage, type RawPixels } from '../../../model/metadata/ome-document.js';
import { areLines, omeAxes, omePositionUnit } from '../../../model/metadata/ome-steps.js';
import { describeDuplicates } from '../../../model/metadata/plane-map.js';
import type { SampleType } from '../../../model/samples/types.js';
import type { PageLayout, TiffFile, TiffPage } from '../../../tiff/types.js';
import type { PlaneLocation, PlaneStack } from '../arrangement.js';
import { resolutionSteps } from '../metadata.js';
import { type ChannelPlan, omeChannels, planChannels } from './ome-channels.js';
import type { OmeFileSet, SetMember } from './ome-files.js';
import { countMapped, findRange, mapPlanes, type OmePlaneMap, trimSlowest } from './ome-planes.js';
import { fitToTiffData } from './ome-sizes.js';

/** One image of OME-XML with a location for each of its planes. */
export interface OmeScene {
  info: SceneInfo;
  /** The first plane in the opened file. */
  opened: { t: number; z: number } | undefined;
  locate(address: PlaneAddress): PlaneLocation | PlaneStack | undefined;
  /** Reads what the metadata say of single planes. */
  readColumns(text: string): Promise<ReadColumns>;
}

/** Files that are tried for a first page. Further files are opened when a plane is read. */
const MAX_TRIED_FILES = 8;

/** An image with its files and the pages of its planes. */
interface ResolvedImage {
  image: RawOmeImage;
  map: OmePlaneMap;
  set: OmeFileSet;
  members: ImageFiles;
  plan: ChannelPlan;
  page: TiffPage;
}

/** The files of an image by their index in `RawPixels.files`; −1 is the opened file. */
class ImageFiles {
  readonly opened: SetMember | undefined;
  private readonly resolved: (SetMember | undefined)[];

  constructor(pixels: RawPixels, set: OmeFileSet) {
    this.opened = set.openedMember();
    this.resolved = pixels.files.map((reference) => set.resolve(reference));
  }

  at(index: number): SetMember | undefined {
    return index < 0 ? this.opened : this.resolved[index];
  }

  isOpened(index: number): boolean {
    return this.opened !== undefined && this.at(index)?.name === this.opened.name;
  }
}

/**
 * Resolves one image of the OME-XML.
 * @throws AcqError `decode_failed` if no page of the image can be found, or if its sizes are impossible; the message is
 * the reason why the metadata cannot be used
 */
export function toOmeScene(described: RawOmeImage, set: OmeFileSet, isOnlyImage: boolean): OmeScene {
  const notes = new Notes();
  const members = new ImageFiles(described.pixels, set);
  const first = findFirstPage(described.pixels, members, set);
  const axes = first.page.layout.samplesPerPixel === 1 ? (['C', 'Z', 'T'] as const) : (['Z', 'T'] as const);
  const pixels = fitToTiffData(described.pixels, axes, (file) => members.isOpened(file), notes);
  const image = { ...described, pixels };
  const plan = planChannels(pixels, first.page.layout.samplesPerPixel);
  if (plan.warning) notes.add(plan.warning);
  const mapped = describePlanes(pixels, plan, members, notes);
  if (mapped.duplicates) notes.add(describeDuplicates(mapped.duplicates, 'last'));
  const extended = isOnlyImage ? extendTime(mapped, first.file, image, notes) : mapped;
  const { map, trimmed } = trimSlowest(extended);
  if (trimmed) {
    const claimed = trimmed.kind === 'T' ? pixels.sizes.T : pixels.sizes.Z;
    notes.add(
      `The OME-XML says Size${trimmed.kind}=${claimed}, but the file has ${grouped(trimmed.size)}. Showing ${grouped(trimmed.size)}.`,
    );
  }
  notes.addAll(describeMissingPlanes(map, pixels, members));
  notes.addAll(describeLayout(pixels, first.page.layout));
  const resolved = { image, map, set, members, plan, page: first.page };
  return toLineScanOrFrames(resolved, toSceneInfo(resolved, notes));
}

/** Finds the page whose size, type and samples stand for all planes. */
function findFirstPage(pixels: RawPixels, members: ImageFiles, set: OmeFileSet): { file: TiffFile; page: TiffPage } {
  const entries = pixels.tiffData.length > 0 ? pixels.tiffData : [{ file: -1, ifd: 0 }];
  const tried = new Set<number>();
  let problem: AcqError | undefined;
  for (const { file: index, ifd } of entries) {
    if (tried.has(index)) continue;
    if (tried.size >= MAX_TRIED_FILES) break;
    try {
      const file = members.at(index)?.open();
      if (!file) continue;
      tried.add(index);
      const page = file.page(ifd < file.pageCount ? ifd : 0);
      // Reading the layout checks it.
      if (page.layout.width > 0) return { file, page };
    } catch (error) {
      if (!(error instanceof AcqError)) throw error;
      tried.add(index);
      const { subject, statement } = error;
      problem = new AcqError('decode_failed', `OME image: ${statement}`, { subject });
    }
  }
  const [reference] = pixels.files;
  throw problem ?? (reference ? set.missingError(reference) : decodeFailed('OME image: no file contains its pixels'));
}

/** Maps the planes to pages as the OME-XML describes them. */
function describePlanes(pixels: RawPixels, plan: ChannelPlan, members: ImageFiles, notes: Notes): OmePlaneMap {
  const sizes = limitSizes(pixels, plan.samples.length);
  let axes = planeAxes(pixels.order, sizes);
  if (!axes) {
    notes.add(`The OME DimensionOrder "${cleanName(pixels.order)}" is invalid; XYCZT was assumed.`);
    axes = planeAxes('XYCZT', sizes) ?? [];
  }
  const openEnded = new Set(pixels.tiffData.filter(({ count }) => count === undefined).map(({ file }) => file));
  const countPages = (index: number) => {
    // Only an element without a count needs the pages of a further file now.
    if (index >= 0 && !openEnded.has(index)) return undefined;
    return ignoreCorrupted(() => members.at(index)?.open())?.pageCount ?? (index < 0 ? 0 : undefined);
  };
  return mapPlanes(axes, pixels.tiffData, countPages);
}

/** Limits the claimed sizes so that planes can be counted exactly; `trimSlowest` reduces them to the pages. */
function limitSizes({ sizes }: RawPixels, C: number) {
  const Z = Math.min(Math.max(1, sizes.Z), 2 ** 20 * 8);
  return { C, Z, T: Math.min(Math.max(1, sizes.T), Math.floor(Number.MAX_SAFE_INTEGER / (C * Z))) };
}

/** Adds the frames on pages after those that the metadata describe, if these pages simply continue the series. */
function extendTime(map: OmePlaneMap, file: TiffFile, image: RawOmeImage, notes: Notes): OmePlaneMap {
  const [range] = map.ranges;
  const last = map.axes.at(-1);
  const total = gridSize(map.axes);
  const isComplete = map.ranges.length === 1 && range?.start === 0 && range.ifd === 0 && range.count === total;
  const leftover = file.pageCount - total;
  if (!isComplete || range.file >= 0 || leftover <= 0) return map;
  const perFrame = total / (last?.size ?? 1);
  const more = Math.floor(leftover / perFrame);
  const mismatch = `The OME-XML describes ${plural(total, 'plane')}, but the file has ${plural(file.pageCount, 'page')}`;
  if (last?.kind !== 'T' || more === 0 || !continuesSeries(file, total, image)) {
    notes.add(`${mismatch}. The other pages are not shown.`);
    return map;
  }
  const size = last.size + more;
  notes.add(`${mismatch}. Showing all ${plural(size, 'frame')}.`);
  return {
    ...map,
    axes: map.axes.map((axis) => (axis === last ? { ...axis, size } : axis)),
    ranges: [{ ...range, count: range.count + more * perFrame }],
  };
}

/** True if the first page after the described ones, and the last page, have the shape of the first. */
function continuesSeries(file: TiffFile, total: number, { pixels }: RawOmeImage): boolean {
  if (pixels.sizes.T === 0) return false;
  const shape = ({ layout }: TiffPage) =>
    `${layout.width} ${layout.height} ${layout.samplesPerPixel} ${layout.sampleType} ${layout.reduced || layout.mask}`;
  const expected = shape(file.page(0));
  return shape(file.page(total)) === expected && shape(file.page(file.pageCount - 1)) === expected;
}

function describeMissingPlanes(map: OmePlaneMap, { files }: RawPixels, members: ImageFiles): string[] {
  const warnings: string[] = [];
  if (map.outside > 0)
    warnings.push(`${countAre(map.outside, 'TiffData element')} outside the sizes of the OME image and ignored.`);
  const missing = gridSize(map.axes) - countMapped(map);
  if (missing > 0)
    warnings.push(
      asCorrupted(
        `The OME image has no page for ${plural(missing, 'plane')}. Showing ${missing > 1 ? 'them' : 'it'} as zeros.`,
      ),
    );
  const names = files.filter((_, index) => !members.at(index)).map(({ name, uuid }) => cleanName(name ?? uuid));
  if (names.length > 0) {
    const more = names.length > 5 ? ` and ${plural(names.length - 5, 'more file')}` : '';
    warnings.push(
      asCorrupted(
        `Missing from the folder: ${names.slice(0, 5).join(', ')}${more}. ` +
          `The planes in ${names.length > 1 ? 'them' : 'it'} cannot be read.`,
      ),
    );
  }
  return warnings;
}

/** Sample types by OME pixel type, as far as their names differ. Old schemas write `Uint8` and `Float`. */
const SAMPLE_TYPES: Record<string, SampleType> = {
  bit: 'uint8',
  float: 'float32',
  double: 'float64',
  half: 'float16',
};

function describeLayout({ sizes, type }: RawPixels, layout: PageLayout): string[] {
  const warnings: string[] = [];
  const declared = SAMPLE_TYPES[type.toLowerCase()] ?? type.toLowerCase();
  if (type !== '' && declared !== layout.sampleType) {
    warnings.push(
      asInconsistent(
        `The OME-XML says Type=${cleanName(type)}, but the pages are ${layout.sampleType}. Showing ${layout.sampleType}.`,
      ),
    );
  }
  if (sizes.X !== layout.width || sizes.Y !== layout.height) {
    const pages = `${grouped(layout.height)} lines of ${grouped(layout.width)}`;
    warnings.push(
      asInconsistent(
        `The OME-XML says ${grouped(sizes.Y)} lines of ${grouped(sizes.X)} pixels, but the pages have ${pages}. Showing ${pages}.`,
      ),
    );
  }
  return warnings;
}

function toSceneInfo({ image, map, plan, page }: ResolvedImage, notes: Notes): SceneInfo {
  const { layout } = page;
  const [T, Z] = [gridSize(map.axes, 'T'), gridSize(map.axes, 'Z')];
  if (T > LIMITS.planes || Z > LIMITS.planes) {
    throw decodeFailed(
      `the OME image has ${plural(T, 'frame')} of ${plural(Z, 'section')}; the limit is ${grouped(LIMITS.planes)} of each`,
    );
  }
  return {
    name: cleanName(image.name),
    sampleType: layout.sampleType,
    channels: omeChannels(image, plan, layout),
    ...omeAxes(image, { T, Z, Y: layout.height, X: layout.width }, () => resolutionSteps(page), notes),
    ...omeInstrument(image),
    ...(parseDateTime(image.date) ?? NO_CLOCK),
    reference: null,
    warnings: notes.list(),
  };
}

/** Frames of one line each are pieces of one plane. */
function toLineScanOrFrames(resolved: ResolvedImage, info: SceneInfo): OmeScene {
  const { image, map, plan, page } = resolved;
  const opened = findOpenedPlane(resolved);
  const [T, Z] = [gridSize(map.axes, 'T'), gridSize(map.axes, 'Z')];
  if (!areLines({ T, Y: page.layout.height })) {
    const readColumns = async (text: string) => {
      // Few ask for them.
      const { omePlaneColumns } = await import('../../../model/metadata/ome-plane-columns.js');
      const positionUnit = omePositionUnit(image.pixels, { T, Z });
      return omePlaneColumns(text, { ...image.pixels, positionUnit }, { T, Z, samples: plan.samples });
    };
    return { info, opened, locate: (address) => locatePlane(resolved, address), readColumns };
  }
  return {
    info,
    opened: opened && { t: 0, z: opened.z },
    locate: (address) => ({
      pieces: T,
      pieceRows: 1,
      piece: (line) => locatePlane(resolved, { ...address, t: line }),
    }),
    // Lines are not planes.
    readColumns: async () => ({}),
  };
}

/** Returns the first plane in the opened file by its T and Z, which planes of several channels share. */
function findOpenedPlane({ map, members }: ResolvedImage): { t: number; z: number } | undefined {
  const range = members.opened && map.ranges.find(({ file }) => members.isOpened(file));
  if (!range) return undefined;
  const { T, Z } = toIndices(map.axes, range.start);
  return { t: T, z: Z };
}

function locatePlane({ image, map, set, members, plan }: ResolvedImage, address: PlaneAddress) {
  const { channel, sample } = splitChannel(plan.samples, address.channel);
  const plane = planeNumber(map.axes, { ...address, scene: 0, channel });
  const range = findRange(map.ranges, plane);
  if (!range) return undefined;
  const member = members.at(range.file);
  const reference = image.pixels.files[range.file];
  if (!member && reference) throw set.missingError(reference);
  if (!member) return undefined;
  const file = member.open();
  if (!file) throw set.missingError({ name: member.name, uuid: undefined });
  const ifd = range.ifd + plane - range.start;
  if (ifd >= file.pageCount) {
    throw decodeFailed(
      `the OME-XML says that a plane is on page ${grouped(ifd + 1)}, but the file has ` +
        `${plural(file.pageCount, 'page')}; it may be truncated`,
    ).about(file.source.name);
  }
  return { file, page: file.page(ifd), sample };
}
