import type { Flavor } from '../arrangement.js';
import { readDescription } from '../parse.js';
import { searchSidecar } from './olympus-files.js';
import { readHeaderText } from './scanimage-text.js';
import { parseShapedText } from './shaped-text.js';
import {
  FEI_SETTINGS,
  isFluoViewExport,
  isImageJText,
  isMetaSeries,
  isMicroManager,
  isOme,
  MIN_NIH_HEADER_BYTES,
  MM_HEAD,
  NIH_HEADER,
  UIC2,
} from './signs.js';

const olympus: Flavor = {
  detect: (context) => {
    const { sidecar, notes } = searchSidecar(context);
    context.notes.addAll(notes);
    return sidecar !== undefined;
  },
  load: async () => (await import('./olympus.js')).olympusFlavor,
};

const shaped: Flavor = {
  detect: ({ page }) => parseShapedText(readDescription(page)) !== undefined,
  load: async () => (await import('./shaped.js')).shapedFlavor,
};

const microManager: Flavor = {
  detect: ({ file, page }) => isMicroManager(file, page),
  load: async () => (await import('./micro-manager.js')).microManagerFlavor,
};

const ome: Flavor = {
  detect: ({ page }) => isOme(readDescription(page)),
  load: async () => (await import('./ome.js')).omeFlavor,
};

const imageJ: Flavor = {
  detect: ({ page }) => isImageJText(readDescription(page)),
  load: async () => (await import('./imagej.js')).imageJFlavor,
};

const fluoview: Flavor = {
  detect: ({ page }) => page.tags.has(MM_HEAD) || isFluoViewExport(page),
  load: async () => (await import('./fluoview.js')).fluoviewFlavor,
};

const stk: Flavor = {
  detect: ({ page }) => page.tags.has(UIC2),
  load: async () => (await import('./stk.js')).stkFlavor,
};

const metaseries: Flavor = {
  detect: ({ page }) => isMetaSeries(readDescription(page)),
  load: async () => (await import('./metaseries.js')).metaseriesFlavor,
};

const scanimage: Flavor = {
  countsPages: true,
  detect: (context) => readHeaderText(context) !== undefined,
  load: async () => (await import('./scanimage.js')).scanimageFlavor,
};

const nih: Flavor = {
  detect: ({ page }) => (page.tags.get(NIH_HEADER)?.byteLength ?? 0) >= MIN_NIH_HEADER_BYTES,
  load: async () => (await import('./nih.js')).nihFlavor,
};

const fei: Flavor = {
  detect: ({ page }) => FEI_SETTINGS.some((code) => page.tags.has(code)),
  load: async () => (await import('./fei.js')).feiFlavor,
};

/** Pages without the metadata of any program. */
export const genericFlavor: Flavor = {
  countsPages: true,
  detect: () => true,
  load: async () => (await import('./generic.js')).genericFlavor,
};

/**
 * The flavors in the order in which they are tried. The order matters: Prairie View files have a MetaMorph tag, OME and
 * Micro-Manager files have an ImageJ text, and the text file beside an Olympus export is more exact than its tags.
 *
 * 1. Olympus kymograph with its text file
 * 2. tifffile array, Micro-Manager, OME-TIFF, ImageJ
 * 3. FluoView, MetaMorph STK and MetaSeries, ScanImage
 * 4. NIH Image, FEI, and finally plain pages, which match every file
 */
export const FLAVORS: readonly Flavor[] = [
  olympus,
  shaped,
  microManager,
  ome,
  imageJ,
  fluoview,
  stk,
  metaseries,
  scanimage,
  nih,
  fei,
  genericFlavor,
];
