import { AcqError, decodeFailed } from '../../base/errors.js';
import { Notes } from '../../base/notes.js';
import type { OpenInput } from '../../model/acquisition.js';
import { openTiff } from '../../tiff/parse.js';
import { withoutUnwritten } from '../../tiff/unwritten.js';
import type { Arrangement, Flavor, FlavorContext } from './arrangement.js';
import { FLAVORS, genericFlavor } from './flavors/index.js';
import { isOme } from './flavors/signs.js';
import { tiffLabel } from './label.js';
import { isCompanion } from './magic.js';
import { checkDescription, readDescription } from './parse.js';
import { TiffSiblings } from './tiff-siblings.js';

/**
 * Arranges the pages of a TIFF, or of the set that an OME companion file describes, by the first flavor that recognizes
 * the file and can use its metadata. Reads tags, no pixels. The warnings are in the scenes.
 */
export async function arrangeFile(input: OpenInput): Promise<Arrangement> {
  const siblings = new TiffSiblings(input.folder);
  if (isCompanion(input.probe)) return (await import('./flavors/ome.js')).openCompanion(input, siblings);
  if (!input.source) throw decodeFailed('is a folder, not a TIFF file');
  const file = openTiff(input.source);
  const page = file.page(0);
  const notes = new Notes();
  notes.addAll(file.warnings);
  const lost = checkDescription(file, page);
  if (lost !== undefined) notes.add(lost);
  const arrangement = await chooseFlavor({ input, file, page, notes, siblings });
  const scenes = arrangement.scenes.map((scene) => ({ ...scene, warnings: [...notes.list(), ...scene.warnings] }));
  return { ...arrangement, scenes };
}

async function chooseFlavor(context: FlavorContext): Promise<Arrangement> {
  for (const flavor of FLAVORS) {
    context.input.signal?.throwIfAborted();
    if (!detects(flavor.detect, context)) continue;
    const { confirms, arrange } = await flavor.load();
    if (confirms && !detects(confirms, context)) continue;
    const arrangement = await arrange(flavor.countsPages ? withoutLast(context) : context);
    if (!arrangement) continue;
    if (flavor === genericFlavor && lacksOme(context)) context.notes.add(NO_OME);
    return arrangement;
  }
  throw decodeFailed('the pages match no known kind of TIFF');
}

/** A recording that is being written ends inside a page. */
function withoutLast(context: FlavorContext): FlavorContext {
  const { file, warning } = withoutUnwritten(context.file);
  if (warning !== undefined) context.notes.add(warning);
  return { ...context, file };
}

const NO_OME =
  'The file has no OME-XML that can be used, so its pages are shown in page order. ' +
  'Which channel, time point (T) or section (Z) each page is, is unknown.';

/** True for a file whose name, or whose unusable OME-XML, promises axes. A single page without either needs none. */
function lacksOme({ input, file, page }: FlavorContext): boolean {
  return (tiffLabel(input.probe.name) === 'ome.tif' && file.pageCount > 1) || isOme(readDescription(page));
}

/** A corrupted tag rules out the flavor that it belongs to; the pixels can still be read. */
function detects(detect: Flavor['detect'], context: FlavorContext): boolean {
  try {
    return detect(context);
  } catch (error) {
    if (!(error instanceof AcqError)) throw error;
    context.notes.add(error.about(context.input.probe.name).message);
    return false;
  }
}
