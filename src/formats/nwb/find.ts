/** The image series and images of an NWB file, in the order in which they are served. */
import { AcqError, unsupported } from '../../errors.js';
import { contentsOf } from '../../hdf5/contents.js';
import type { Hdf5File, Hdf5Object } from '../../hdf5/file.js';
import { LIMITS } from '../../io/limits.js';

export interface Found {
  kind: 'series' | 'lines' | 'image';
  /** `neurodata_type`. */
  type: string;
  /** Path below `/acquisition`, or the whole path. */
  name: string;
  object: Hdf5Object;
}

export interface Search {
  found: Found[];
  /** What was found and is not read, and why. */
  warnings: string[];
  /** The first damage that was met: why nothing may have been found. */
  damage: AcqError | undefined;
  /** More objects than are looked at. */
  stopped: boolean;
}

const PLACES = ['acquisition', 'processing', 'stimulus/presentation', 'stimulus/templates'];
/** Groups that are looked into, and how deep below a place. */
const MOST_OBJECTS = 20_000;
const DEEPEST = 6;

/** Which comes first: the first scene is the one that opens. */
const RANKS: Readonly<Record<string, number>> = {
  TwoPhotonSeries: 0,
  OnePhotonSeries: 1,
  ImageSeries: 2,
  TimeSeries: 3,
  GrayscaleImage: 4,
  RGBImage: 4,
  RGBAImage: 4,
};

/** @throws AcqError `unsupported_format` for HDF5 of another kind, and for NWB 1 */
export function checkNwb(file: Hdf5File): void {
  const { root } = file;
  const version = root.text('nwb_version');
  if (root.links.has('nwb_version') || (version !== undefined && /^(NWB-)?1\./.test(version))) {
    throw unsupported(`${file.name}: is an NWB file of version 1; version 2 is read. Convert it with pynwb or MatNWB.`);
  }
  if (version === undefined) throw unsupported(`${file.name}: is not an NWB file but ${contentsOf(file)}`);
}

export function findSeries(file: Hdf5File): Search {
  const search: Search = { found: [], warnings: [], damage: undefined, stopped: false };
  const seen = new Set<Hdf5Object>();
  for (const place of PLACES) {
    const group = attempt(() => file.find(place), search);
    const before = search.found.length;
    if (group && !group.isDataset) {
      seen.add(group);
      walk(group, `/${place}/`, 0, seen, search);
    }
    const own = search.found.splice(before);
    search.found.push(...own.sort((a, b) => rank(a) - rank(b)));
  }
  if (search.stopped) {
    search.warnings.unshift(
      `Only the first ${seen.size} objects of the file were looked at; series behind them are not listed.`,
    );
  }
  return search;
}

function rank({ type, kind }: Found): number {
  return RANKS[type] ?? (kind === 'series' ? 2 : 4);
}

function walk(group: Hdf5Object, place: string, depth: number, seen: Set<Hdf5Object>, search: Search): void {
  for (const [name, link] of attempt(() => group.links, search) ?? []) {
    if (seen.size > MOST_OBJECTS || search.found.length >= LIMITS.scenes) {
      search.stopped = true;
      return;
    }
    // Soft links lead to what is found at its own place.
    if (link.kind === 'soft') continue;
    const object = attempt(() => group.child(name), search);
    if (!object || seen.has(object)) continue;
    seen.add(object);
    attempt(() => visit(object, place, depth, seen, search), search);
  }
}

function visit(object: Hdf5Object, place: string, depth: number, seen: Set<Hdf5Object>, search: Search): void {
  const type = object.text('neurodata_type') ?? '';
  const path = object.path.startsWith('/acquisition/')
    ? object.path.slice('/acquisition/'.length)
    : object.path.slice(1);
  const add = (kind: Found['kind']) => search.found.push({ kind, type, name: path, object });
  if (object.isDataset) {
    if (/^(Grayscale|RGBA?)Image$/.test(type)) add('image');
  } else if (/(Photon|Image|Optical)Series$/.test(type)) add('series');
  else if (type === 'TimeSeries') {
    // Other series of numbers are traces; two dimensions in an acquisition are lines of a scan.
    const data = place === '/acquisition/' ? object.child('data') : undefined;
    if (data?.isDataset && data.dataset.shape.length === 2 && (data.dataset.shape[1] as number) > 1) add('lines');
  } else if (depth < DEEPEST) walk(object, place, depth + 1, seen, search);
}

function attempt<T>(read: () => T, search: Search): T | undefined {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof AcqError)) throw error;
    if (error.code === 'decode_failed') search.damage ??= error;
    if (search.warnings.length < 20) search.warnings.push(error.message);
    return undefined;
  }
}
