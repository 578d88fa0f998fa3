/**
 * Files that the Python acqstore writes beside its images: a manifest, a sidecar with the calibration, a reference image
 * with the scanned line, and collections of such images.
 */

import { AcqError } from '../../base/errors.js';
import { type JsonObject, listOf, numberOf, objectOf, textOf } from '../../base/json.js';
import { LIMITS } from '../../base/limits.js';
import { Notes } from '../../base/notes.js';
import { quoteError } from '../../base/subject.js';
import { grouped } from '../../base/wording.js';
import type { ReferenceInfo, SceneInfo, Step, StepOrigin } from '../../model/acquisition.js';
import { parseDateTime, type WallClock } from '../../model/metadata/dates.js';
import { fileStep } from '../../model/metadata/steps.js';
import { parseDocument } from './json.js';
import { COLLECTION } from './magic.js';
import { omeOf, readNode } from './node.js';
import { insidePath, joinPath, type Store } from './store.js';
import type { Hierarchy } from './types.js';

const MANIFEST = 'acqstore/manifest.json';

/** The files beside one image. */
export interface Companion {
  /** Calibration and date, by the names of the sidecar. */
  header: JsonObject;
  origin: StepOrigin;
  reference: JsonObject;
  /** Group of the reference image, when there is one. */
  referenceGroup: string | undefined;
  notes: Notes;
}

/** Adds the images of a collection, if the store is one. @throws AcqError `decode_failed` */
export function addCollection(store: Store, hierarchy: Hierarchy, signal: AbortSignal | undefined): void {
  const source = store.open(COLLECTION);
  if (!source) return;
  for (const value of listOf(parseDocument(source)['acq_images'])) {
    signal?.throwIfAborted();
    const entry = objectOf(value) ?? {};
    const name = textOf(entry['name']) ?? textOf(entry['id']) ?? '';
    try {
      const path = insidePath('', textOf(entry['ome_zarr_path']) ?? '');
      const node = readNode(store, path);
      if (!node) throw new AcqError('decode_failed', 'the group is missing');
      const manifest = textOf(entry['manifest_path']) ?? joinPath(path, MANIFEST);
      hierarchy.images.push({
        path,
        version: node.version,
        ome: omeOf(node),
        name: name || path,
        xml: undefined,
        manifest,
      });
    } catch (error) {
      if (!(error instanceof AcqError)) throw error;
      hierarchy.notes.add(quoteError(`The image ${name} was skipped`, error));
    }
    if (hierarchy.images.length >= LIMITS.scenes) return;
  }
}

/** Reads the files beside the image in the group `path`; `undefined` for images that acqstore did not write. */
export function readCompanion(
  store: Store,
  path: string,
  manifest: string | undefined,
  ome: JsonObject,
): Companion | undefined {
  const notes = new Notes();
  const document = (inside: string): JsonObject | undefined => {
    try {
      const source = store.open(inside);
      return source && parseDocument(source);
    } catch (error) {
      if (!(error instanceof AcqError)) throw error;
      notes.add(quoteError(`${inside} was ignored`, error));
      return undefined;
    }
  };
  const list = document(manifest === undefined ? joinPath(path, MANIFEST) : insidePath('', manifest));
  const attributes = objectOf(objectOf(ome['acqstore_pixels'])?.['header']);
  if (!list && !attributes && notes.list().length === 0) return undefined;
  const sidecar = textOf(list?.['sidecar']);
  const beside = sidecar === undefined ? undefined : document(insidePath(path, sidecar));
  const group = textOf(list?.['reference_image']);
  const header = objectOf(beside?.['image_header_metadata']);
  return {
    header: header ?? toHeader(attributes),
    origin: header ? 'sidecar' : 'file',
    reference: objectOf(beside?.['reference_image_metadata']) ?? {},
    referenceGroup: group === undefined ? undefined : insidePath(path, group),
    notes,
  };
}

/** Converts the header in the attributes, which lists values by axis, to the names of the sidecar. */
function toHeader(attributes: JsonObject | undefined): JsonObject {
  const header: Record<string, unknown> = { date: attributes?.['date'], time: attributes?.['time'] };
  listOf(attributes?.['dims']).forEach((dim, i) => {
    if (typeof dim !== 'string') return;
    header[`physical_unit_${dim.toLowerCase()}`] = listOf(attributes?.['physical_units'])[i];
    header[`physical_label_${dim.toLowerCase()}`] = listOf(attributes?.['physical_units_labels'])[i];
  });
  return header;
}

/** Returns the step of an axis in a header, which overrides that of the image; `undefined` without one. */
export function stepIn(header: JsonObject, axis: 'y' | 'x', origin: StepOrigin, notes: Notes): Step | undefined {
  const value = toNumber(header[`physical_unit_${axis}`]);
  const label = textOf(header[`physical_label_${axis}`]);
  if (value === undefined || label === undefined) return undefined;
  return fileStep(value, label, { what: `${axis.toUpperCase()} step of acqstore`, warnings: notes, origin });
}

/** Returns the date and time in a header. */
export function clockIn(header: JsonObject): WallClock | undefined {
  return parseDateTime(`${textOf(header['date']) ?? ''} ${textOf(header['time']) ?? ''}`);
}

/** Builds the reference image from the scene that it was stored as. */
export function toReference(scene: SceneInfo, companion: Companion, notes: Notes): ReferenceInfo {
  const { reference } = companion;
  const scanPath = parseScanPath(reference, notes);
  return {
    sampleType: scene.sampleType,
    channels: scene.channels,
    sizes: { Y: scene.sizes.Y, X: scene.sizes.X },
    steps: {
      Y: stepIn(reference, 'y', 'sidecar', notes) ?? scene.steps.Y,
      X: stepIn(reference, 'x', 'sidecar', notes) ?? scene.steps.X,
    },
    lineRoi: parseLineRoi(reference['line_roi'], scanPath),
    scanPath,
  };
}

function parseScanPath(reference: JsonObject, notes: Notes): ReferenceInfo['scanPath'] {
  const x = listOf(reference['scan_path_x_pixels']).map(toNumber);
  const y = listOf(reference['scan_path_y_pixels']).map(toNumber);
  if (x.length === 0 && y.length === 0) return null;
  const sound = x.length === y.length && x.length >= 2 && [...x, ...y].every((n) => n !== undefined);
  if (sound) return { x: x as number[], y: y as number[] };
  notes.add(
    `The scan path was ignored: it has ${grouped(x.length)} x and ${grouped(y.length)} y coordinates, or invalid numbers.`,
  );
  return null;
}

/** Parses `(x0, y0, x1, y1)`; without it, the line runs from the first to the last point of the path. */
function parseLineRoi(text: unknown, path: ReferenceInfo['scanPath']): ReferenceInfo['lineRoi'] {
  const numbers = (
    textOf(text)
      ?.slice(0, 200)
      .match(/-?\d+(?:\.\d+)?(?:e[+-]?\d+)?/gi) ?? []
  ).map(Number);
  const [x0, y0, x1, y1] = numbers;
  const given = [x0, y0, x1, y1].every((n) => n !== undefined && Number.isFinite(n)) && numbers.length === 4;
  if (given) return numbers as [number, number, number, number];
  if (!path) return null;
  return [path.x[0], path.y[0], path.x.at(-1), path.y.at(-1)] as [number, number, number, number];
}

/** Numbers in the sidecar may be strings. */
function toNumber(value: unknown): number | undefined {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return numberOf(number);
}
