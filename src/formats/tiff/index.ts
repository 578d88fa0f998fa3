import type { Acquisition, AcquisitionInfo, OpenInput, PlaneAddress, Reader } from '../../acquisition.js';
import { AcqError, decodeFailed } from '../../errors.js';
import { IMAGE_DESCRIPTION } from '../../tiff/lost-tags.js';
import { openTiff } from '../../tiff/parse.js';
import { checkDecodable } from '../../tiff/read-page.js';
import { pageScratch } from '../../tiff/scratch.js';
import type { TiffFile } from '../../tiff/types.js';
import type { Arrangement, Flavor, FlavorContext, PlaneLocation, PlaneStack } from './arrangement.js';
import { genericFlavor } from './flavors/generic.js';
import { FLAVOURS } from './flavors/list.js';
import { isOme, openCompanion } from './flavors/ome.js';
import { tiffLabel } from './label.js';
import { isCompanion } from './magic.js';
import { readArranged } from './read-arranged.js';
import { textOf } from './soft-tags.js';

/** Opens a TIFF, or the companion file of an OME-TIFF set. Reads pages' tags, no pixels. */
export const reader: Reader = { open };

async function open(input: OpenInput): Promise<Acquisition> {
  const openTiffNamed = tiffOpener(input);
  if (isCompanion(input.probe)) return acquisition(input, openCompanion(input, openTiffNamed), []);
  if (!input.source) throw decodeFailed(`${input.probe.name}: is a folder, not a TIFF file`);
  const file = openTiff(input.source);
  const context: FlavorContext = {
    input,
    file,
    page: file.page(0),
    warnings: [...file.warnings],
    openTiff: openTiffNamed,
  };
  noteDescription(context);
  return acquisition(input, await arrange(context), context.warnings);
}

/** Without its description a file opens as a plain stack, whatever its axes were. */
function noteDescription({ file, page, warnings }: FlavorContext): void {
  const tag = page.tags.get(IMAGE_DESCRIPTION);
  const beyond = tag !== undefined && tag.valueOffset + tag.byteLength > file.source.size;
  if (!beyond && !page.lostTags.has(IMAGE_DESCRIPTION)) return;
  warnings.push(
    `The description of the pages (ImageDescription) is ${beyond ? 'behind the end of the file, which is truncated' : 'corrupted'}. ` +
      'Which channel, time point (T) or section (Z) each page is, is unknown.',
  );
}

/** Strips or rows of tiles of a scene's first plane. */
function bandsOf(arrangement: Arrangement, scene: number): number {
  const place = firstPlace(arrangement, scene, (found) => ('piece' in found ? undefined : found));
  if (!place) return 1;
  const { height, chunkHeight } = place.page.layout;
  return Math.ceil(height / chunkHeight);
}

/** By the scene's first plane. */
function scratchOf(arrangement: Arrangement, scene: number): number {
  const place = firstPlace(arrangement, scene, (found) => ('piece' in found ? found.piece(0) : found));
  return place ? pageScratch(place.page.layout) : 0;
}

/** By the scene's first plane, in the words of reading it. */
function checkScene(arrangement: Arrangement, scene: number): void {
  const place = firstPlace(arrangement, scene, (found) => ('piece' in found ? found.piece(0) : found));
  if (place) checkDecodable(place.file, place.page);
}

/** `undefined` also when the first plane cannot be read: others may. */
function firstPlace<T>(
  arrangement: Arrangement,
  scene: number,
  toPlace: (found: PlaneLocation | PlaneStack) => T | undefined,
): T | undefined {
  try {
    const found = arrangement.locate({ scene, channel: 0, t: 0, z: 0 });
    return found && toPlace(found);
  } catch (error) {
    if (error instanceof AcqError) return undefined;
    throw error;
  }
}

/** The first flavor that recognises the file and can use its metadata. */
async function arrange(context: FlavorContext): Promise<Arrangement> {
  for (const flavor of FLAVOURS) {
    context.input.signal?.throwIfAborted();
    if (!detects(flavor, context)) continue;
    const arrangement = await flavor.arrange(context);
    if (!arrangement) continue;
    if (flavor === genericFlavor) noteOme(context);
    return arrangement;
  }
  throw decodeFailed(`${context.input.probe.name}: no flavor of TIFF takes its pages`);
}

/** A name, or OME-XML, that promises axes which nothing describes. A single page without either is just a page. */
function noteOme({ input, file, page, warnings }: FlavorContext): void {
  const named = tiffLabel(input.probe.name) === 'ome.tif' && file.pageCount > 1;
  if (!named && !isOme(textOf(page, IMAGE_DESCRIPTION))) return;
  warnings.push(
    'The file has no OME-XML that can be used, so its pages are shown in page order. ' +
      'Which channel, time point (T) or section (Z) each page is, is unknown.',
  );
}

/** A damaged tag speaks against the flavor that it would tell of, not against the pixels. */
function detects(flavor: Flavor, context: FlavorContext): boolean {
  try {
    return flavor.detect(context);
  } catch (error) {
    if (!(error instanceof AcqError)) throw error;
    if (!context.warnings.includes(error.message)) context.warnings.push(error.message);
    return false;
  }
}

function acquisition(input: OpenInput, arrangement: Arrangement, warnings: readonly string[]): Acquisition {
  const info: AcquisitionInfo = {
    format: tiffLabel(input.probe.name),
    scenes: arrangement.scenes.map((scene) => ({ ...scene, warnings: [...warnings, ...scene.warnings] })),
    ...(arrangement.named ? { named: arrangement.named } : {}),
  };
  return {
    info,
    ...(arrangement.files ? { files: arrangement.files } : {}),
    bands: (scene) => bandsOf(arrangement, scene),
    scratchBytes: (scene) => scratchOf(arrangement, scene),
    checkScene: (scene) => checkScene(arrangement, scene),
    readPlane: (address: PlaneAddress, target, signal) => readArranged(arrangement, address, target, signal),
  };
}

/** Other files of the set, each parsed once. */
function tiffOpener(input: OpenInput): (name: string) => TiffFile | undefined {
  const known = new Map<string, TiffFile>();
  return (name) => {
    const source = input.folder.openAnyCase(name);
    if (!source) return undefined;
    const file = known.get(source.name) ?? openTiff(source);
    known.set(source.name, file);
    return file;
  };
}
