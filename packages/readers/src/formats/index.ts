import type { Format } from '../model/acquisition.js';
import { brukerFormat } from './bruker/format.js';
import { cziFormat } from './czi/format.js';
import { deltavisionFormat } from './deltavision/format.js';
import { hdf5Format } from './hdf5/format.js';
import { imsFormat } from './ims/format.js';
import { lifFormat } from './lif/format.js';
import { lsmFormat } from './lsm/format.js';
import { mescFormat } from './mesc/format.js';
import { metamorphNdFormat } from './metamorph-nd/format.js';
import { mrcFormat } from './mrc/format.js';
import { nd2Format } from './nd2/format.js';
import { ndtiffFormat } from './ndtiff/format.js';
import { nwbFormat } from './nwb/format.js';
import { obfFormat } from './obf/format.js';
import { oifFormat } from './oif/format.js';
import { oirFormat } from './oir/format.js';
import { omeXmlFormat } from './ome-xml/format.js';
import { omeZarrFormat } from './ome-zarr/format.js';
import { scanboxFormat } from './scanbox/format.js';
import { scanimageAlsFormat } from './scanimage-als/format.js';
import { thorimageFormat } from './thorimage/format.js';
import { tiffFormat } from './tiff/format.js';
import { zviFormat } from './zvi/format.js';

/** The format table. A new format is a folder beside this file and a row here. */
export const FORMATS: readonly Format[] = [
  tiffFormat,
  oirFormat,
  oifFormat,
  scanimageAlsFormat,
  cziFormat,
  zviFormat,
  lsmFormat,
  nd2Format,
  lifFormat,
  brukerFormat,
  omeZarrFormat,
  nwbFormat,
  imsFormat,
  mescFormat,
  hdf5Format,
  ndtiffFormat,
  obfFormat,
  omeXmlFormat,
  deltavisionFormat,
  metamorphNdFormat,
  mrcFormat,
  thorimageFormat,
  scanboxFormat,
];

const EXTENSIONS: readonly string[] = [...new Set(FORMATS.flatMap((format) => format.extensions))];

/** Every extension that this build reads, canonical ones first within a format. */
export function supportedExtensions(): readonly string[] {
  return EXTENSIONS;
}

/** A format, as lists for people show it. */
export interface ListedFormat {
  name: string;
  group: string;
  extensions: string[];
  opensFolders: boolean;
}

/** Returns the formats that can be opened, each with its extensions among those that are allowed. */
export function listFormats(allowed: readonly string[] = EXTENSIONS): ListedFormat[] {
  const listed = FORMATS.map(({ label, group, extensions, opensFolders = false }) => ({
    name: label,
    group,
    extensions: extensions.filter((extension) => allowed.includes(extension)),
    opensFolders,
  }));
  return listed.filter(({ extensions }) => extensions.length > 0);
}

/** Of a list of extensions: those with an equal last part (`.tif` of `.ome.tif`), the longest first. */
const byLastPart = new WeakMap<readonly string[], ReadonlyMap<string, readonly string[]>>();
/** The list grouped last: a thread gets the same one with every message, each time as another array. */
let grouped: { extensions: readonly string[]; groups: ReadonlyMap<string, readonly string[]> } | undefined;

/**
 * The longest known extension that `name` ends with (`.ome.tif` before `.tif`), lower case; `undefined` if none.
 * @param extensions lower case, each with a dot; never changed
 */
export function extensionOf(name: string, extensions: readonly string[] = supportedExtensions()): string | undefined {
  const groups = byLastPart.get(extensions) ?? groupByLastPart(extensions);
  const group = groups.get(lastPart(name).toLowerCase());
  return group?.find((one) => name.length > one.length && name.slice(-one.length).toLowerCase() === one);
}

function groupByLastPart(extensions: readonly string[]): ReadonlyMap<string, readonly string[]> {
  if (grouped?.extensions.join() !== extensions.join()) grouped = { extensions, groups: groupsOf(extensions) };
  byLastPart.set(extensions, grouped.groups);
  return grouped.groups;
}

function groupsOf(extensions: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const longestFirst = extensions.toSorted((a, b) => b.length - a.length);
  const lasts = new Set(extensions.map(lastPart));
  const isIn = (last: string) => (extension: string) => lastPart(extension) === last;
  return new Map([...lasts].map((last) => [last, longestFirst.filter(isIn(last))]));
}

function lastPart(name: string): string {
  return name.slice(name.lastIndexOf('.'));
}
