import type { Flavour } from '../arrangement.js';
import { feiFlavour } from './fei.js';
import { fluoviewFlavour } from './fluoview.js';
import { genericFlavour } from './generic.js';
import { imageJFlavour } from './imagej.js';
import { metaseriesFlavour } from './metaseries.js';
import { microManagerFlavour } from './micro-manager.js';
import { nihFlavour } from './nih.js';
import { olympusFlavour } from './olympus.js';
import { omeFlavour } from './ome.js';
import { scanimageFlavour } from './scanimage.js';
import { shapedFlavour } from './shaped.js';
import { stkFlavour } from './stk.js';

/**
 * The flavours in the order in which they are asked. The order matters: a MetaMorph tag is found in Prairie View files,
 * an ImageJ text in OME and Micro-Manager files, and the text file beside an Olympus export is worth more than its tags.
 *
 * 1. Olympus kymograph with its text file
 * 2. tifffile-shaped, Micro-Manager, OME-TIFF, ImageJ
 * 3. FluoView, MetaMorph STK and MetaSeries, ScanImage
 * 4. NIH Image, FEI, and last the generic pages, which take everything
 */
export const FLAVOURS: readonly Flavour[] = [
  olympusFlavour,
  shapedFlavour,
  microManagerFlavour,
  omeFlavour,
  imageJFlavour,
  fluoviewFlavour,
  stkFlavour,
  metaseriesFlavour,
  scanimageFlavour,
  nihFlavour,
  feiFlavour,
  genericFlavour,
];
