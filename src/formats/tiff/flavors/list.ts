import type { Flavor } from '../arrangement.js';
import { feiFlavor } from './fei.js';
import { fluoviewFlavor } from './fluoview.js';
import { genericFlavor } from './generic.js';
import { imageJFlavor } from './imagej.js';
import { metaseriesFlavor } from './metaseries.js';
import { microManagerFlavor } from './micro-manager.js';
import { nihFlavor } from './nih.js';
import { olympusFlavor } from './olympus.js';
import { omeFlavor } from './ome.js';
import { scanimageFlavor } from './scanimage.js';
import { shapedFlavor } from './shaped.js';
import { stkFlavor } from './stk.js';

/**
 * The flavors in the order in which they are asked. The order matters: a MetaMorph tag is found in Prairie View files,
 * an ImageJ text in OME and Micro-Manager files, and the text file beside an Olympus export is worth more than its tags.
 *
 * 1. Olympus kymograph with its text file
 * 2. tifffile-shaped, Micro-Manager, OME-TIFF, ImageJ
 * 3. FluoView, MetaMorph STK and MetaSeries, ScanImage
 * 4. NIH Image, FEI, and last the generic pages, which take everything
 */
export const FLAVOURS: readonly Flavor[] = [
  olympusFlavor,
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
