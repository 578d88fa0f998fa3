/** Finds the image series and images of an NWB file, in the order in which they are served. */
import { AcqError, unsupported } from '../../base/errors.js';
import { LIMITS } from '../../base/limits.js';
import { Notes, notesOf } from '../../base/notes.js';
import { messageIn } from '../../base/subject.js';
import { grouped } from '../../base/wording.js';
import { contentsOf } from '../../hdf5/contents.js';
import type { Hdf5File, Hdf5Object } from '../../hdf5/file.js';

/** A series, a line scan or an image of the file. */
export interface NwbItem {
  kind: 'series' | 'lines' | 'image';
  /** `neurodata_type`. */
  type: string;
  /** Path below `/acquisition`, else the whole path. */
  name: string;
  object: Hdf5Object;
}

export interface Search {
  items: NwbItem[];
  /** Why objects were skipped. */
  notes: Notes;
  /** The same for a message about the file, which has its name in front. */
  reasons: Notes;
  /** The first corrupted object: it may be the reason why nothing was found. */
  failure: AcqError | undefined;
}

const PLACES = ['acquisition', 'processing', 'stimulus/presentation', 'stimulus/templates'];
const MAX_OBJECTS = 20_000;
/** Levels of groups below a place. */
const MAX_DEPTH = 6;

/** Order of types within a place: the first scene is the one that opens. */
const RANKS: Readonly<Record<string, number>> = {
  TwoPhotonSeries: 0,
  OnePhotonSeries: 1,
  ImageSeries: 2,
  TimeSeries: 3,
  GrayscaleImage: 4,
  RGBImage: 4,
  RGBAImage: 4,
};

/** Refuses HDF5 files of another kind and NWB 1. @throws AcqError `unsupported_format` */
export function checkNwb(file: Hdf5File): void {
  const { root } = file;
  const version = root.text('nwb_version');
  if (root.links.has('nwb_version') || (version !== undefined && /^(NWB-)?1\./.test(version))) {
    throw unsupported('NWB 1 is not supported. Convert the file to NWB 2 with pynwb or MatNWB.');
  }
  if (version === undefined) throw unsupported(`is not an NWB file but ${contentsOf(file)}`);
}

/** Returns every series and image below the places where NWB keeps recordings. */
export function findSeries(file: Hdf5File): Search {
  const walk = new Walk(file.name);
  const items = PLACES.flatMap((place) => {
    const found = walk.place(() => file.find(place), `/${place}/`);
    return found.sort((a, b) => rank(a) - rank(b));
  });
  const stopped = `Only the first ${grouped(walk.count)} objects of the file were searched for series.`;
  const first = walk.isStopped ? [stopped] : [];
  const [notes, reasons] = [notesOf(first), notesOf(first)];
  notes.addAll(walk.notes);
  reasons.addAll(walk.reasons);
  return { items, notes, reasons, failure: walk.failure };
}

function rank({ type, kind }: NwbItem): number {
  return RANKS[type] ?? (kind === 'series' ? 2 : 4);
}

/** One walk through the groups of a file. Visits each object once. */
class Walk {
  readonly notes = new Notes();
  readonly reasons = new Notes();
  failure: AcqError | undefined;
  isStopped = false;
  private readonly seen = new Set<Hdf5Object>();
  private items = 0;
  private readonly fileName: string;

  constructor(fileName: string) {
    this.fileName = fileName;
  }

  get count(): number {
    return this.seen.size;
  }

  /** Returns what is below a place of the file; nothing when the place is missing. */
  place(find: () => Hdf5Object | undefined, path: string): NwbItem[] {
    const group = this.attempt(find);
    if (!group || this.attempt(() => group.isDataset) !== false) return [];
    this.seen.add(group);
    return this.group(group, path, 0);
  }

  private group(group: Hdf5Object, place: string, depth: number): NwbItem[] {
    const found: NwbItem[] = [];
    for (const [name, link] of this.attempt(() => group.links) ?? []) {
      if (this.seen.size > MAX_OBJECTS || this.items >= LIMITS.scenes) {
        this.isStopped = true;
        break;
      }
      // The target of a soft link is found at its own place.
      if (link.kind === 'soft') continue;
      const object = this.attempt(() => group.child(name));
      if (!object || this.seen.has(object)) continue;
      this.seen.add(object);
      found.push(...(this.attempt(() => this.object(object, place, depth)) ?? []));
    }
    return found;
  }

  private object(object: Hdf5Object, place: string, depth: number): NwbItem[] {
    const type = object.text('neurodata_type') ?? '';
    const kind = kindOf(object, type, place);
    if (kind === 'group') return depth < MAX_DEPTH ? this.group(object, place, depth + 1) : [];
    if (kind === undefined) return [];
    this.items++;
    const start = object.path.startsWith('/acquisition/') ? '/acquisition/'.length : 1;
    return [{ kind, type, name: object.path.slice(start), object }];
  }

  private attempt<T>(read: () => T): T | undefined {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof AcqError)) throw error;
      if (error.code === 'decode_failed') this.failure ??= error;
      this.notes.add(error.about(this.fileName).message);
      this.reasons.add(messageIn(this.fileName, error));
      return undefined;
    }
  }
}

function kindOf(object: Hdf5Object, type: string, place: string): NwbItem['kind'] | 'group' | undefined {
  if (object.isDataset) return /^(Grayscale|RGBA?)Image$/.test(type) ? 'image' : undefined;
  if (/(Photon|Image|Optical)Series$/.test(type)) return 'series';
  if (type !== 'TimeSeries') return 'group';
  // Other time series are traces. Two dimensions in /acquisition are the lines of a scan.
  const data = place === '/acquisition/' ? object.child('data') : undefined;
  const isLines = data?.isDataset && data.dataset.shape.length === 2 && data.dataset.shape[1]! > 1;
  return isLines ? 'lines' : undefined;
}
