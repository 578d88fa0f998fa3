import { decodeText, startsWithTag } from '../../io/text.js';
import type { Probe, Sniff } from '../../model/acquisition.js';

export const SETTINGS = 'Experiment.xml';

/** `Image_0001_0002.raw`: site and tile, from 1. Digits are a setting of the program. */
export const RAW_NAME = /^Image_(\d{1,9})_(\d{1,9})\.raw$/i;
/** Files of several regions, whose sizes `Experiment.xml` does not have. */
export const REGION_NAME = /^Image_scan_\d{1,9}_region_\d{1,9}\.raw$/i;
/** `ChanA_0001_0002_0003_0004.tif`: channel, site, tile, section, time point, from 1. */
export const TIFF_NAME = /^(.{1,100}?)_(\d{1,9})_(\d{1,9})_(\d{1,9})_(\d{1,9})\.tiff?$/i;

/** Of a folder with more entries, not all are known. */
const MANY_ENTRIES = 10_000;

/** Files without a signature of their own are recognized by their names; the reader then asks the settings beside them. */
export function sniff({ kind, name, head, size, entries }: Probe): Sniff {
  if (kind === 'directory') return sniffEntries(entries);
  if (RAW_NAME.test(name) || REGION_NAME.test(name)) return size > 0 ? 'maybe' : false;
  if (TIFF_NAME.test(name)) return head[0] === head[1] && (head[0] === 0x49 || head[0] === 0x4d) ? 'sure' : false;
  return isSettings(head) ? 'sure' : false;
}

/** True for the root element: other vendors have an `Experiment.xml` too. */
export function isSettings(head: Uint8Array): boolean {
  if (!startsWithTag(head)) return false;
  return /^\ufeff?\s*(<\?xml[^>]{0,200}>\s*)?<ThorImageExperiment[\s>]/.test(decodeText(head.subarray(0, 1024)));
}

function sniffEntries(entries: readonly string[]): Sniff {
  const isMember = (name: string) => RAW_NAME.test(name) || REGION_NAME.test(name) || /^Chan[A-D]_/i.test(name);
  if (!entries.some(isMember)) return false;
  if (entries.some((name) => name.toLowerCase() === SETTINGS.toLowerCase())) return 'sure';
  return entries.length >= MANY_ENTRIES ? 'maybe' : false;
}

const IS_RAW = /\.raw$/i;
const INSTEAD = `Open the ${SETTINGS} of the recording`;

export function openInstead({ kind, name, head }: Probe): string | undefined {
  if (kind !== 'file') return undefined;
  if (/^ROIMask\.raw$/i.test(name)) return `is the mask of the regions of a ThorImage recording. ${INSTEAD}.`;
  if (IS_RAW.test(name)) {
    return `contains samples without a description. Only raw files of ThorImage (Image_0001_0001.raw) are read, by the ${SETTINGS} beside them.`;
  }
  if (startsWithTag(head) && /<RealTimeDataSettings[\s>]/.test(decodeText(head.subarray(0, 1024)))) {
    return `describes the lines that ThorSync recorded and has no images. ${INSTEAD}.`;
  }
  return undefined;
}
