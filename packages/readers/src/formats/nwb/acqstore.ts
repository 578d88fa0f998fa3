/** Images that the Python acqstore wrote into an NWB file, and the manifest in `/scratch` that describes them. */

import { AcqError, decodeFailed } from '../../base/errors.js';
import { type JsonObject, listOf, objectOf, textOf } from '../../base/json.js';
import { LIMITS } from '../../base/limits.js';
import { Notes } from '../../base/notes.js';
import { quoteError } from '../../base/subject.js';
import { grouped } from '../../base/wording.js';
import { checkSizes } from '../../hdf5/dataset-planes.js';
import type { Hdf5File, Hdf5Object } from '../../hdf5/file.js';
import { parseDateTime } from '../../model/metadata/dates.js';
import { channelsNamed, cleanName } from '../../model/metadata/names.js';
import { defaultStep, fileStep } from '../../model/metadata/steps.js';
import { readMember } from './members.js';
import { channelPlanes } from './planes.js';
import type { NwbScene } from './scenes.js';

const MANIFEST = 'acqstore_manifest_json';
const COLLECTION = 'acqstore_collection_manifest_json';

export interface AcqstoreImages {
  scenes: NwbScene[];
  /** The datasets of these scenes. */
  parts: ReadonlySet<Hdf5Object>;
  notes: Notes;
}

/** Reads the images that the manifest lists. Entries that do not match the stored images are skipped, with a note. */
export async function acqstoreImages(file: Hdf5File): Promise<AcqstoreImages> {
  const notes = new Notes();
  const scenes: NwbScene[] = [];
  const parts = new Set<Hdf5Object>();
  const attempt = async (what: string, work: () => void | Promise<void>) => {
    try {
      await work();
    } catch (error) {
      if (!(error instanceof AcqError)) throw error;
      notes.add(quoteError(`${what} was ignored`, error));
    }
  };
  await attempt('The manifest of acqstore', async () => {
    const entries = await readEntries(file);
    for (const entry of entries) {
      const name = cleanName(textOf(entry['display_name']) ?? textOf(entry['id']) ?? '');
      await attempt(`The manifest entry ${name} of acqstore`, () => {
        const images = findStored(file, entry);
        scenes.push(toScene(name, entry, images));
        for (const image of images) parts.add(image.object);
      });
    }
  });
  return { scenes, parts, notes };
}

async function readEntries(file: Hdf5File): Promise<JsonObject[]> {
  const scratch = file.find('scratch');
  if (!scratch || scratch.isDataset) return [];
  const [single] = (await readMember(scratch, MANIFEST))?.texts ?? [];
  const [list] = (await readMember(scratch, COLLECTION))?.texts ?? [];
  if (single !== undefined && list !== undefined) throw decodeFailed('the file contains two manifests');
  const manifest = parse(single ?? list);
  const entries = single === undefined ? manifest['images'] : [manifest['image']];
  return listOf(entries)
    .slice(0, LIMITS.scenes)
    .map((entry) => objectOf(entry) ?? {});
}

function parse(text: string | undefined): JsonObject {
  if (text === undefined) return {};
  try {
    return objectOf(JSON.parse(text)) ?? {};
  } catch (error) {
    throw decodeFailed(`it is not valid JSON (${(error as Error).message})`, error);
  }
}

interface StoredImage {
  name: string;
  object: Hdf5Object;
}

/** Finds the stored images of an entry's channels, which all have the shape of the entry. They are stored as (x, y). */
function findStored(file: Hdf5File, entry: JsonObject): StoredImage[] {
  const container = textOf(entry['images_container']);
  const names = listOf(entry['channel_images']).map(textOf);
  if (container === undefined || names.length === 0) throw decodeFailed('it does not list any images');
  if (names.length > LIMITS.channels)
    throw decodeFailed(`it lists ${grouped(names.length)} images; the limit is ${grouped(LIMITS.channels)}`);
  const [rows, columns] = (Array.isArray(entry['shape']) ? entry['shape'] : []).slice(-2);
  let first: Hdf5Object | undefined;
  return names.map((name = '') => {
    const object = file.find(`acquisition/${container}/${name}`);
    if (!object?.isDataset) throw decodeFailed(`${container}/${name.slice(0, 200)} is missing`);
    const { dataset } = object;
    dataset.check();
    const [x, y] = dataset.shape;
    if (dataset.shape.length !== 2 || x !== columns || y !== rows) {
      throw decodeFailed(`it describes ${rows} × ${columns} pixels, but ${container}/${name} has ${y} × ${x}`);
    }
    first ??= object;
    if (dataset.sampleType !== first.dataset.sampleType) throw decodeFailed('the channels have different sample types');
    return { name, object };
  });
}

function toScene(name: string, entry: JsonObject, images: readonly StoredImage[]): NwbScene {
  const datasets = images.map(({ object }) => object.dataset);
  const [first] = datasets;
  const [X = 0, Y = 0] = first?.shape ?? [];
  if (!first || X < 1 || Y < 1) throw decodeFailed('the images are empty');
  const sizes = { T: 1, Z: 1, Y, X };
  checkSizes(sizes);
  const notes = new Notes();
  const header = objectOf(objectOf(entry['sidecar_payload'])?.['image_header_metadata']) ?? {};
  const step = (axis: 'y' | 'x') =>
    fileStep(numberOf(header[`physical_unit_${axis}`]), textOf(header[`physical_label_${axis}`]), {
      what: `${axis.toUpperCase()} step of acqstore`,
      warnings: notes,
      origin: 'sidecar',
    });
  const clock = parseDateTime(`${textOf(header['date']) ?? ''} ${textOf(header['time']) ?? ''}`);
  return {
    info: {
      name,
      sampleType: first.sampleType,
      channels: channelsNamed(images.map((image) => image.name)),
      sizes,
      steps: { T: defaultStep('Frames'), Z: defaultStep('Planes'), Y: step('y'), X: step('x') },
      date: '',
      time: '',
      reference: null,
      warnings: notes.list(),
    },
    planes: channelPlanes(datasets),
    ...(clock ? { clock } : {}),
  };
}

/** Numbers of the sidecar may be texts. */
function numberOf(value: unknown): number | undefined {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
}
