import { AcqError, decodeFailed } from '../../base/errors.js';
import { Notes } from '../../base/notes.js';
import type { OpenInput } from '../../model/acquisition.js';
import { openTiff } from '../../tiff/parse.js';
import { withoutUnwritten } from '../../tiff/unwritten.js';
import type { Arrangement, Flavor, FlavorContext } from './arrangement.js';
import { feiFlavor } from './flavors/fei.js';
import { fluoviewFlavor } from './flavors/fluoview.js';
import { genericFlavor } from './flavors/generic.js';
import { imageJFlavor } from './flavors/imagej.js';
import { metaseriesFlavor } from './flavors/metaseries.js';
import { microManagerFlavor } from './flavors/micro-manager.js';
import { nihFlavor } from './flavors/nih.js';
import { olympusFlavor } from './flavors/olympus.js';
import { isOme, omeFlavor, openCompanion } from './flavors/ome.js';
import { scanimageFlavor } from './flavors/scanimage.js';
import { shapedFlavor } from './flavors/shaped.js';
import { stkFlavor } from './flavors/stk.js';
import { thorFlavor } from './flavors/thor.js';
import { tiffLabel } from './label.js';
import { isCompanion } from './magic.js';
import { checkDescription, readDescription } from './parse.js';
import { TiffSiblings } from './tiff-siblings.js';

/**
 * The flavors in the order in which they are tried. The order matters: Prairie View files have a MetaMorph tag, OME and
 * Micro-Manager files have an ImageJ text, and the text file beside an Olympus export is more exact than its tags.
 *
 * 1. Olympus kymograph with its text file, ThorImage with its Experiment.xml
 * 2. tifffile array, Micro-Manager, OME-TIFF, ImageJ
 * 3. FluoView, MetaMorph STK and MetaSeries, ScanImage
 * 4. NIH Image, FEI, and finally plain pages, which match every file
 */
const FLAVORS: readonly Flavor[] = [
  olympusFlavor,
  thorFlavor,
  shapedFlavor,
  microManagerFlavor,
  omeFlavor,
  imageJFlavor,
  fluoviewFlavor,
  stkFlavor,
  metaseriesFlavor,
  scanimageFlavor,
  nihFlavor,
  feiFlavor,
  genericFlavor,
];

/**
 * Arranges the pages of a TIFF, or of the set that an OME companion file describes, by the first flavor that recognizes
 * the file and can use its metadata. Reads tags, no pixels. The warnings are in the scenes.
 */
export async function arrangeFile(input: OpenInput): Promise<Arrangement> {
  const siblings = new TiffSiblings(input.folder);
  if (isCompanion(input.probe)) return openCompanion(input, siblings);
  if (!input.source) throw decodeFailed(`${input.probe.name}: is a folder, not a TIFF file`);
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
    if (!detects(flavor, context)) continue;
    const arrangement = await flavor.arrange(flavor.countsPages ? withoutLast(context) : context);
    if (!arrangement) continue;
    if (flavor === genericFlavor && lacksOme(context)) context.notes.add(NO_OME);
    return arrangement;
  }
  throw decodeFailed(`${context.input.probe.name}: the pages match no known kind of TIFF`);
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
function detects(flavor: Flavor, context: FlavorContext): boolean {
  try {
    return flavor.detect(context);
  } catch (error) {
    if (!(error instanceof AcqError)) throw error;
    context.notes.add(error.message);
    return false;
  }
}
