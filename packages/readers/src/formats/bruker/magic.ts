import { nameKey } from '../../io/name-index.js';
import { decodeText, startsWithTag } from '../../io/text.js';
import type { Probe, Sniff } from '../../model/acquisition.js';

/** The name of a plane: `NAME_Cycle00001_Ch1_000001.ome.tif`, Prairie View 4 `NAME_Cycle00001_CurrentSettings_Ch1_000001.tif`. */
const PLANE = /^(.*)_Cycle\d+_[^\\/]*\.tiff?$/i;

export function sniff(probe: Probe): Sniff {
  if (probe.kind === 'directory') return sniffEntries(probe.entries);
  return isMainXml(probe.head) ? 'sure' : false;
}

/** True when a file that starts like this is the XML of a recording. */
export function isMainXml(head: Uint8Array): boolean {
  return (
    startsWithTag(head) && /^(?:\ufeff|ï»¿)?\s*(<\?xml[^>]*>\s*)?(<!--[^>]*-->\s*)?<PVScan[\s>]/.test(decodeText(head))
  );
}

/** Accepts a folder with planes, and is sure of it when the XML that describes them is there too. */
function sniffEntries(entries: readonly string[]): Sniff {
  if (findMainXmls(entries).length > 0) return 'sure';
  return entries.some((name) => PLANE.test(name)) ? 'maybe' : false;
}

/** Finds the XML files of recordings: those with the same name as planes beside them. */
export function findMainXmls(entries: readonly string[]): string[] {
  const stems = new Set<string>();
  for (const name of entries) {
    const stem = PLANE.exec(name)?.[1];
    if (stem !== undefined) stems.add(nameKey(stem));
  }
  return entries.filter((name) => /\.xml$/i.test(name) && stems.has(nameKey(name.slice(0, -4)))).sort();
}

/** Returns the XML beside a plane. Source and reference images are opened as images of their own. */
export function home(path: string): string | undefined {
  const stem = PLANE.exec(path)?.[1];
  return stem === undefined || /[\\/]$/.test(stem) ? undefined : `${stem}.xml`;
}

/** Other XML files of Prairie View, by the end of their names. */
const COMPANIONS = [
  { name: /^(.*?)(?:_Cycle\d+)?_MarkPoints\.xml$/i, what: 'the points of a photostimulation' },
  { name: /^(.*?)(?:_Cycle\d+)?_VoltageRecording_\d+\.xml$/i, what: 'a voltage recording' },
  { name: /^(.*?)(?:_Cycle\d+)?_VoltageOutput_\d+\.xml$/i, what: 'a voltage output' },
];

export function openInstead({ kind, name }: Probe): string | undefined {
  if (kind !== 'file' || !/\.xml$/i.test(name)) return undefined;
  for (const companion of COMPANIONS) {
    const stem = companion.name.exec(name)?.[1];
    if (stem) return `describes ${companion.what} and has no images. Open the XML of the recording: "${stem}.xml".`;
  }
  return undefined;
}
