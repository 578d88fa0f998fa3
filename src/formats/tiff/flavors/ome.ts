import { basename } from 'node:path';
import type { NamedPlane, OpenInput } from '../../../acquisition.js';
import { AcqError, companionMissing, decodeFailed, unsupported } from '../../../errors.js';
import { LIMITS } from '../../../io/limits.js';
import { decodeText } from '../../../io/text.js';
import type { TiffFile } from '../../../tiff/types.js';
import { plural } from '../../../wording.js';
import type { Arrangement, Flavor, FlavorContext } from '../arrangement.js';
import { textOf } from '../soft-tags.js';
import { OmeFileSet } from './ome-files.js';
import { type OmeScene, toOmeScene } from './ome-scene.js';
import { parseOme, type RawOme } from './ome-xml.js';
import { isPrairie, isPrairieLineScan, prairieClock, withoutRowSteps } from './prairie.js';

const DESCRIPTION = 270;
/** Where the root element is looked for; a long comment stands before it as a rule. */
const ROOT_WITHIN = 8_192;

/** OME-TIFF: OME-XML in the description of the first page, or in a companion file that it names. */
export const omeFlavor: Flavor = {
  id: 'ome',
  label: 'OME-TIFF',
  detect: ({ page }) => isOme(textOf(page, DESCRIPTION)),
  arrange: async (context) => arrange(context),
};

export function isOme(text: string): boolean {
  return (
    /^\s*</.test(text) && (/OME>\s*$/.test(text.slice(-64)) || /<(\w+:)?OME[\s>]/.test(text.slice(0, ROOT_WITHIN)))
  );
}

function arrange(context: FlavorContext): Arrangement | undefined {
  const { input, file, page, warnings, openTiff } = context;
  const embedded = parseOme(textOf(page, DESCRIPTION));
  const own = { name: input.probe.name, uuid: embedded.uuid, file };
  try {
    const ome = embedded.metadataFile === undefined ? embedded : metadataOf(embedded.metadataFile, context);
    const set = new OmeFileSet(own.name, own, input.folder, openTiff);
    if (embedded.metadataFile !== undefined) set.found.add(spelledIn(input, embedded.metadataFile));
    const arrangement = arrangeImages(ome, set, warnings);
    if (isPrairieLineScan(page, input.probe.name, ome)) arrangement.scenes.forEach(withoutRowSteps);
    if (isPrairie(page)) for (const scene of arrangement.scenes) Object.assign(scene, prairieClock(page, scene));
    return arrangement;
  } catch (error) {
    if (!(error instanceof AcqError)) throw error;
    warnings.push(`the OME metadata cannot be used: ${error.message}`);
    return undefined;
  }
}

/** The name of an opened file as the folder spells it. */
function spelledIn({ folder }: OpenInput, name: string): string {
  return basename(folder.openAnyCase(name)?.name ?? name);
}

/** The OME-XML of the file that `BinaryOnly` names: a companion, or another TIFF of the set. */
function metadataOf(name: string, { input, openTiff }: FlavorContext): RawOme {
  const source = input.folder.openAnyCase(name);
  if (!source) throw companionMissing(input.probe.name, `"${name}", which holds them,`, input.folder.path);
  const isXml = source.size > 0 && !/\.(tiff?|tf2|tf8|btf)$/i.test(name);
  const text = isXml ? companionText(source) : (openTiff(name)?.page(0).text(DESCRIPTION) ?? '');
  const ome = parseOme(text);
  if (ome.metadataFile !== undefined) throw decodeFailed(`${name} refers to a further file, ${ome.metadataFile}`);
  return ome;
}

function companionText(source: {
  name: string;
  size: number;
  read(offset: number, length: number): Uint8Array;
}): string {
  if (source.size > LIMITS.metadataBytes) throw decodeFailed(`${source.name}: has ${source.size} bytes of OME-XML`);
  return decodeText(source.read(0, source.size));
}

/**
 * Opens a set by its companion file.
 * @throws AcqError `decode_failed` for XML that cannot be used or files that are not there, `unsupported_format` for
 * pixels inside the XML
 */
export function openCompanion(input: OpenInput, openTiff: (name: string) => TiffFile | undefined): Arrangement {
  if (!input.source) throw decodeFailed(`${input.probe.name}: is a folder, not a file`);
  const ome = parseOme(companionText(input.source));
  if (ome.images.some(({ pixels }) => pixels.hasBinData && pixels.tiffData.length === 0)) {
    throw unsupported(`${input.probe.name}: holds its pixels inside the XML (BinData); export it as OME-TIFF`);
  }
  const warnings: string[] = [];
  const arrangement = arrangeImages(ome, new OmeFileSet(input.probe.name, undefined, input.folder, openTiff), warnings);
  for (const scene of arrangement.scenes) scene.warnings.unshift(...warnings);
  return arrangement;
}

function arrangeImages(ome: RawOme, set: OmeFileSet, warnings: string[]): Arrangement {
  if (!ome.complete) throw decodeFailed(`the OME-XML is cut short or damaged (${ome.errors[0] ?? 'no end'})`);
  if (ome.images.length > LIMITS.scenes) throw decodeFailed(`the OME-XML claims ${ome.images.length} images`);
  const scenes: OmeScene[] = [];
  const unusable: AcqError[] = [];
  for (const image of ome.images) {
    try {
      scenes.push(toOmeScene(image, set, ome.images.length === 1));
    } catch (error) {
      if (!(error instanceof AcqError)) throw error;
      unusable.push(error);
    }
  }
  if (scenes.length === 0) throw unusable[0] ?? decodeFailed('the OME-XML describes no image');
  if (unusable.length > 0) warnings.push(`Skipped ${plural(unusable.length, 'OME image')}: ${unusable[0]?.message}`);
  if (ome.errors[0] !== undefined) warnings.push(`the OME-XML is not well-formed: ${ome.errors[0]}`);
  return {
    scenes: scenes.map(({ info }) => info),
    files: () => set.found,
    ...namedScene(scenes, set, warnings),
    locate: (address) => (scenes[address.scene] as OmeScene).locate(address),
  };
}

/** The first plane that the opened file holds. A companion file holds none. */
function namedScene(scenes: readonly OmeScene[], { own }: OmeFileSet, warnings: string[]): { named?: NamedPlane } {
  if (!own) return {};
  const scene = scenes.findIndex((one) => one.own !== undefined);
  const place = scenes[scene]?.own;
  if (place) return { named: { scene, ...place } };
  warnings.push(`${own.name}: its OME-XML does not place any plane in this file; the first plane of the set is shown`);
  return {};
}
