import type { PlaneAddress, SceneInfo } from '../../../acquisition.js';
import { AcqError, decodeFailed } from '../../../errors.js';
import { LIMITS } from '../../../io/limits.js';
import { NO_CLOCK, parseDateTime } from '../../../metadata/dates.js';
import { gridSize, planeNumber, toIndices } from '../../../metadata/mixed-radix.js';
import { cleanName } from '../../../metadata/names.js';
import { defaultStep } from '../../../metadata/steps.js';
import type { SampleType } from '../../../samples/types.js';
import type { PageLayout, TiffFile, TiffPage } from '../../../tiff/types.js';
import { countAre, plural } from '../../../wording.js';
import type { PlaneLocation, PlaneStack } from '../arrangement.js';
import { type ChannelPlan, describeChannels, planChannels } from './ome-channels.js';
import type { OmeFileSet, SetMember } from './ome-files.js';
import { mapPlanes, mappedPlanes, type PlaneMap, pageAxes, rangeAt, trimSlowest } from './ome-planes.js';
import { omeSteps } from './ome-steps.js';
import type { RawImage, RawPixels } from './ome-xml.js';

/** One image of OME-XML with a place for each of its planes. */
export interface OmeScene {
  info: SceneInfo;
  /** The first plane that lies in the opened file. */
  own: { t: number; z: number } | undefined;
  locate(address: PlaneAddress): PlaneLocation | PlaneStack | undefined;
}

/** Files that are tried for a first page; later ones are opened when a plane is read. */
const FILES_TRIED = 8;

/** The image and what was found out about its files. */
interface Found {
  image: RawImage;
  map: PlaneMap;
  set: OmeFileSet;
  /** By index of `RawPixels.files`. */
  members: (SetMember | undefined)[];
  own: SetMember | undefined;
  plan: ChannelPlan;
  page: TiffPage;
  warnings: string[];
}

/**
 * @throws AcqError `decode_failed` when no page of the image can be found, or its sizes are impossible; the message is
 * the reason why the metadata cannot be used
 */
export function toOmeScene(image: RawImage, set: OmeFileSet, onlyImage: boolean): OmeScene {
  const { pixels } = image;
  const warnings: string[] = [];
  const own = set.ownMember();
  const only = pixels.files.length === 1 && onlyImage;
  const members = pixels.files.map((reference) => set.resolve(reference, only));
  const member = (file: number) => (file < 0 ? own : members[file]);
  const first = firstPage(pixels, member, set);
  const plan = planChannels(pixels, first.page.layout.samplesPerPixel);
  if (plan.warning) warnings.push(plan.warning);
  const map = placePlanes(pixels, plan, member, warnings);
  const found: Found = { image, map, set, members, own, plan, page: first.page, warnings };
  if (onlyImage) extendTime(found, first.file);
  warnAboutPlanes(found);
  warnAboutLayout(pixels, first.page.layout, warnings);
  return lineScanOrFrames(found, sceneInfo(found));
}

/** The page that tells size, type and samples of all planes. */
function firstPage(pixels: RawPixels, member: (file: number) => SetMember | undefined, set: OmeFileSet) {
  const entries = pixels.tiffData.length > 0 ? pixels.tiffData : [{ file: -1, ifd: 0 }];
  const tried = new Set<number>();
  let problem: AcqError | undefined;
  for (const { file: index, ifd } of entries) {
    if (tried.has(index)) continue;
    if (tried.size >= FILES_TRIED) break;
    try {
      const file = member(index)?.open();
      if (!file) continue;
      tried.add(index);
      const page = file.page(ifd < file.pageCount ? ifd : 0);
      // Reading it checks it.
      if (page.layout.width > 0) return { file, page };
    } catch (error) {
      if (!(error instanceof AcqError)) throw error;
      tried.add(index);
      problem = decodeFailed(`OME image: ${error.message}`);
    }
  }
  const [reference] = pixels.files;
  throw problem ?? (reference ? set.missing(reference) : decodeFailed('OME image: no file holds its pixels'));
}

function placePlanes(
  pixels: RawPixels,
  plan: ChannelPlan,
  member: (file: number) => SetMember | undefined,
  warnings: string[],
): PlaneMap {
  const sizes = checkedSizes(pixels, plan.samples.length);
  let axes = pageAxes(pixels.order, sizes);
  if (!axes) {
    warnings.push(`OME DimensionOrder "${cleanName(pixels.order)}" is none; XYCZT is taken`);
    axes = pageAxes('XYCZT', sizes) ?? [];
  }
  const open = new Set(pixels.tiffData.filter(({ count }) => count === undefined).map(({ file }) => file));
  const pages = (index: number) => {
    // Only an open-ended element needs the pages of a further file now.
    if (index >= 0 && !open.has(index)) return undefined;
    return openSoftly(member(index))?.pageCount ?? (index < 0 ? 0 : undefined);
  };
  return mapPlanes(axes, pixels.tiffData, pages);
}

function openSoftly(member: SetMember | undefined): TiffFile | undefined {
  try {
    return member?.open();
  } catch (error) {
    if (error instanceof AcqError) return undefined;
    throw error;
  }
}

/** Sizes as claimed, below what could ever be counted; `trimSlowest` brings them down to what is there. */
function checkedSizes({ sizes }: RawPixels, C: number) {
  const Z = Math.min(Math.max(1, sizes.Z), 2 ** 20 * 8);
  return { C, Z, T: Math.min(Math.max(1, sizes.T), Math.floor(Number.MAX_SAFE_INTEGER / (C * Z))) };
}

/** Frames behind those of the metadata are served too when the pages simply go on. */
function extendTime({ image, map, warnings }: Found, file: TiffFile): void {
  const [range] = map.ranges;
  const last = map.axes.at(-1);
  const total = gridSize(map.axes);
  const whole = map.ranges.length === 1 && range?.start === 0 && range.ifd === 0 && range.count === total;
  const leftover = file.pageCount - total;
  if (!whole || range.file >= 0 || leftover <= 0) return;
  const perFrame = total / (last?.size ?? 1);
  const more = Math.floor(leftover / perFrame);
  const said = `OME-XML describes ${plural(total, 'plane')}, but the file has ${plural(file.pageCount, 'page')}`;
  const kind = last?.kind === 'T' ? 'frames' : undefined;
  if (!last || !kind || more === 0 || !looksAlike(file, total, image)) {
    warnings.push(`${said}; the others are not shown`);
    return;
  }
  last.size += more;
  range.count += more * perFrame;
  warnings.push(`${said}; all ${last.size} frames are shown`);
}

/** The first page behind the described ones, and the last, are of the same kind as the others. */
function looksAlike(file: TiffFile, total: number, { pixels }: RawImage): boolean {
  if (pixels.sizes.T === 0) return false;
  const kind = ({ layout }: TiffPage) =>
    `${layout.width} ${layout.height} ${layout.samplesPerPixel} ${layout.sampleType} ${layout.reduced || layout.mask}`;
  const wanted = kind(file.page(0));
  return kind(file.page(total)) === wanted && kind(file.page(file.pageCount - 1)) === wanted;
}

function warnAboutPlanes({ image, map, members, warnings }: Found): void {
  const { sizes, files } = image.pixels;
  const cut = trimSlowest(map);
  if (cut) {
    const claimed = cut.kind === 'T' ? sizes.T : sizes.Z;
    warnings.push(`OME-XML says Size${cut.kind}=${claimed}, the file holds ${cut.to}; ${cut.to} are shown`);
  }
  if (map.outside > 0) warnings.push(`${countAre(map.outside, 'TiffData element')} outside the sizes of the OME image`);
  const missing = gridSize(map.axes) - mappedPlanes(map);
  if (missing > 0) warnings.push(`the OME image has no page for ${plural(missing, 'plane')}; shown as zeros`);
  const gone = files.filter((_, index) => !members[index]).map(({ name, uuid }) => cleanName(name ?? uuid));
  if (gone.length > 0) {
    const list = gone.slice(0, 5).join(', ');
    warnings.push(
      `Missing from the folder: ${list}${gone.length > 5 ? ` and ${plural(gone.length - 5, 'more file')}` : ''}. ` +
        `The planes in ${gone.length > 1 ? 'them' : 'it'} cannot be read.`,
    );
  }
}

/** OME pixel types by their sample type here; the old schemas write `Uint8` and `Float`. */
const TYPES: Record<string, SampleType> = {
  bit: 'uint8',
  float: 'float32',
  double: 'float64',
  half: 'float16',
};

function warnAboutLayout({ sizes, type }: RawPixels, layout: PageLayout, warnings: string[]): void {
  const declared = TYPES[type.toLowerCase()] ?? type.toLowerCase();
  if (type !== '' && declared !== layout.sampleType) {
    warnings.push(`OME-XML says Type=${cleanName(type)}, the pages hold ${layout.sampleType}, which is shown`);
  }
  if (sizes.X !== layout.width || sizes.Y !== layout.height) {
    warnings.push(
      `OME-XML says ${sizes.Y} lines of ${sizes.X} pixels, the pages have ${layout.height} lines of ${layout.width}, ` +
        'which are shown',
    );
  }
}

function sceneInfo({ image, map, plan, page, warnings }: Found): SceneInfo {
  const { layout } = page;
  const [T, Z] = [gridSize(map.axes, 'T'), gridSize(map.axes, 'Z')];
  if (T > LIMITS.planes || Z > LIMITS.planes) throw decodeFailed(`OME image: claims ${T} frames of ${Z} sections`);
  return {
    name: cleanName(image.name),
    sampleType: layout.sampleType,
    channels: describeChannels(image, plan, layout),
    sizes: { T, Z, Y: layout.height, X: layout.width },
    steps: omeSteps(image, page, warnings),
    ...(parseDateTime(image.date) ?? NO_CLOCK),
    reference: null,
    warnings,
  };
}

/** Frames of one line each are the lines of a scan: T becomes Y. */
function lineScanOrFrames(found: Found, info: SceneInfo): OmeScene {
  const { sizes, steps } = info;
  const own = firstOwnPlane(found);
  if (sizes.Y > 1 || sizes.T === 1) return { info, own, locate: (address) => locate(found, address) };
  const line = steps.T.unit === 'seconds' ? steps.T : defaultStep();
  return {
    info: {
      ...info,
      sizes: { ...sizes, T: 1, Y: sizes.T },
      steps: { ...steps, T: defaultStep('Frames'), Y: line },
    },
    own: own && { t: 0, z: own.z },
    locate: (address) => ({
      pieces: sizes.T,
      pieceRows: 1,
      piece: (line) => locate(found, { ...address, t: line }),
    }),
  };
}

/** By T and Z: of several planes at one place, channels do not count. */
function firstOwnPlane({ map, members, own }: Found): { t: number; z: number } | undefined {
  const isOwn = (file: number) => file < 0 || members[file]?.name === own?.name;
  const range = own && map.ranges.find(({ file }) => isOwn(file));
  return range && { t: toIndices(map.axes, range.start).T, z: toIndices(map.axes, range.start).Z };
}

function locate({ image, map, set, members, own, plan }: Found, address: PlaneAddress): PlaneLocation | undefined {
  let channel = 0;
  let sample = address.channel;
  while (sample >= (plan.samples[channel] ?? 1)) {
    sample -= plan.samples[channel] ?? 1;
    channel++;
  }
  const plane = planeNumber(map.axes, { ...address, scene: 0, channel });
  const range = rangeAt(map.ranges, plane);
  const member = range && (range.file < 0 ? own : members[range.file]);
  const reference = range && image.pixels.files[range.file];
  if (!member && reference) throw set.missing(reference);
  if (!range || !member) return undefined;
  const file = member.open();
  if (!file) throw set.missing({ name: member.name, uuid: undefined });
  const ifd = range.ifd + plane - range.start;
  if (ifd >= file.pageCount) {
    throw decodeFailed(
      `${file.source.name}: OME-XML places a plane on page ${ifd + 1}, but the file has ${plural(file.pageCount, 'page')}; it may be truncated`,
    );
  }
  return { file, page: file.page(ifd), sample };
}
