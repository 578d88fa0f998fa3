import { AcqError, companionMissing, decodeFailed, unsupported } from '../../../base/errors.js';
import { LIMITS } from '../../../base/limits.js';
import { Notes } from '../../../base/notes.js';
import { about, quoteError } from '../../../base/subject.js';
import { grouped, plural, subjectFirst } from '../../../base/wording.js';
import type { ByteSource } from '../../../io/byte-source.js';
import { lastPart } from '../../../io/paths.js';
import { decodeText } from '../../../io/text.js';
import type { NamedPlane, OpenInput } from '../../../model/acquisition.js';
import { toInstrument } from '../../../model/metadata/instrument.js';
import { parseOme, type RawOme } from '../../../model/metadata/ome-document.js';
import { TAG } from '../../../tiff/tags.js';
import type { Arrangement, FlavorContext, FlavorReader } from '../arrangement.js';
import { readDescription } from '../parse.js';
import type { TiffSiblings } from '../tiff-siblings.js';
import { OmeFileSet } from './ome-files.js';
import { type OmeScene, toOmeScene } from './ome-scene.js';
import { isPrairie, isPrairieLineScan, prairieClock, withoutRowStep } from './prairie.js';

/** OME-TIFF: OME-XML in the description of the first page, or in a companion file that the description names. */
export const omeFlavor: FlavorReader = {
  arrange: async (context) => arrangeOme(context),
};

function arrangeOme(context: FlavorContext): Arrangement | undefined {
  const { input, file, page, notes, siblings } = context;
  const embedded = parseOme(readDescription(page));
  const { metadataFile } = embedded;
  const opened = { name: input.probe.name, uuid: embedded.uuid, file };
  try {
    const text = () => (metadataFile === undefined ? readDescription(page) : readMetadataFile(metadataFile, context));
    const ome = metadataFile === undefined ? embedded : about(metadataFile, () => parseMetadataFile(text()));
    const set = new OmeFileSet(opened.name, siblings, opened);
    if (metadataFile !== undefined)
      set.names.add(lastPart(input.folder.openAnyCase(metadataFile)?.name ?? metadataFile));
    const arrangement = arrangeImages({ ome, text }, set, notes);
    return isPrairie(page) ? correctPrairie(arrangement, ome, context) : arrangement;
  } catch (error) {
    if (!(error instanceof AcqError)) throw error;
    notes.add(quoteError('The OME metadata cannot be used', error));
    return undefined;
  }
}

/** Prairie View writes placeholder dates, which do not say when it started, and does not mark line scans. */
function correctPrairie(arrangement: Arrangement, ome: RawOme, { page, input }: FlavorContext): Arrangement {
  const isLineScan = isPrairieLineScan(page, input.probe.name, ome);
  const scenes = arrangement.scenes.map(({ instrument, ...scene }) => ({
    ...(isLineScan ? withoutRowStep(scene) : scene),
    ...prairieClock(page, { date: scene.date, time: scene.time }),
    ...toInstrument({ ...instrument, start: '' }),
  }));
  return { ...arrangement, scenes };
}

/** Reads the OME-XML of the file that `BinaryOnly` names: a companion, or another TIFF of the set. */
function readMetadataFile(name: string, { input, siblings }: FlavorContext): string {
  const source = input.folder.openAnyCase(name);
  if (!source)
    throw companionMissing(`"${name}", the file with the metadata,`, input.folder.path).about(input.probe.name);
  const isXml = source.size > 0 && !/\.(tiff?|tf2|tf8|btf)$/i.test(name);
  return isXml
    ? about(source.name, () => readXml(source))
    : (siblings.open(name)?.page(0).text(TAG.imageDescription) ?? '');
}

function parseMetadataFile(text: string): RawOme {
  const ome = parseOme(text);
  if (ome.metadataFile !== undefined) throw decodeFailed(`refers to another metadata file, ${ome.metadataFile}`);
  return ome;
}

function readXml(source: ByteSource): string {
  if (source.size > LIMITS.metadataBytes) {
    throw decodeFailed(`has ${grouped(source.size)} bytes of OME-XML; the limit is ${grouped(LIMITS.metadataBytes)}`);
  }
  return decodeText(source.read(0, source.size));
}

/**
 * Opens a set by its companion file.
 * @throws AcqError `decode_failed` for unusable XML, `companion_missing` if files are missing, `unsupported_format` if it
 * names no file
 */
export function openCompanion(input: OpenInput, siblings: TiffSiblings): Arrangement {
  if (!input.source) throw decodeFailed('is a folder, not a file');
  const { source } = input;
  const text = () => readXml(source);
  const ome = parseOme(text());
  if (ome.complete && !ome.images.some(({ pixels }) => pixels.files.length > 0)) {
    throw unsupported('contains metadata only, and names no file with pixels. Open the image file that it describes.');
  }
  const notes = new Notes();
  const arrangement = arrangeImages({ ome, text }, new OmeFileSet(input.probe.name, siblings), notes);
  const scenes = arrangement.scenes.map((scene) => ({ ...scene, warnings: [...notes.list(), ...scene.warnings] }));
  return { ...arrangement, scenes };
}

/** @param document its text is read again for what it says of single planes */
function arrangeImages({ ome, text }: { ome: RawOme; text: () => string }, set: OmeFileSet, notes: Notes): Arrangement {
  if (!ome.complete) throw decodeFailed(`the OME-XML is truncated or corrupted (${ome.errors[0] ?? 'no end tag'})`);
  if (ome.images.length > LIMITS.scenes)
    throw decodeFailed(
      `the OME-XML lists ${grouped(ome.images.length)} images; the limit is ${grouped(LIMITS.scenes)}`,
    );
  set.expect(ome.images.map(({ pixels }) => pixels));
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
  if (scenes.length === 0) throw unusable[0] ?? decodeFailed('the OME-XML contains no image');
  const [skipped] = unusable;
  if (skipped) notes.add(quoteError(`Skipped ${plural(unusable.length, 'OME image')}`, skipped));
  notes.addAll(set.notes);
  if (ome.errors[0] !== undefined) notes.add(`The OME-XML is not well-formed: ${ome.errors[0]}`);
  const named = findNamedPlane(scenes);
  if (set.opened && !named) {
    const problem = 'the OME-XML does not list any plane in this file. Showing the first plane of the set.';
    notes.add(subjectFirst(set.opened.name, problem));
  }
  return {
    scenes: scenes.map(({ info }) => info),
    files: () => set.names,
    ...(named ? { named } : {}),
    locate: (address) => scenes[address.scene]!.locate(address),
    readPlaneColumns: (scene) => scenes[scene]!.readColumns(text()),
  };
}

/** Returns the first plane in the opened file. A companion file contains none. */
function findNamedPlane(scenes: readonly OmeScene[]): NamedPlane | undefined {
  const scene = scenes.findIndex(({ opened }) => opened !== undefined);
  const plane = scenes[scene]?.opened;
  return plane && { scene, ...plane };
}
