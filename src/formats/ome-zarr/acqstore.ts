/**
 * What the Python acqstore keeps beside its images: a manifest, a sidecar with the calibration, a reference image with
 * the scanned line, and collections of such images.
 */
import type { ReferenceInfo, SceneInfo, Step, StepOrigin } from '../../acquisition.js';
import { AcqError } from '../../errors.js';
import { LIMITS } from '../../io/limits.js';
import { parseDateTime, type WallClock } from '../../metadata/dates.js';
import { fileStep } from '../../metadata/steps.js';
import { type JsonObject, listOf, numberOf, objectOf, parseDocument, textOf } from './json.js';
import { COLLECTION } from './magic.js';
import { omeOf, readNode } from './node.js';
import { insidePath, joinPath, type Store } from './store.js';
import type { Hierarchy } from './types.js';

const MANIFEST = 'acqstore/manifest.json';

/** What belongs to one image. */
export interface Companion {
  /** Calibration and date, by the names of the sidecar. */
  header: JsonObject;
  origin: StepOrigin;
  reference: JsonObject;
  /** Group of the reference image, when there is one. */
  referenceGroup: string | undefined;
  warnings: string[];
}

/** Whether the store is a collection: its images are added. @throws AcqError `decode_failed` */
export function addCollection(store: Store, found: Hierarchy, signal: AbortSignal | undefined): void {
  const source = store.open(COLLECTION);
  if (!source) return;
  for (const value of listOf(parseDocument(source)['acq_images'])) {
    signal?.throwIfAborted();
    const entry = objectOf(value) ?? {};
    const name = textOf(entry['name']) ?? textOf(entry['id']) ?? '';
    try {
      const path = insidePath(store, '', textOf(entry['ome_zarr_path']) ?? '');
      const node = readNode(store, path);
      if (!node) throw new AcqError('decode_failed', 'it is not in the store');
      const manifest = textOf(entry['manifest_path']) ?? joinPath(path, MANIFEST);
      found.images.push({
        path,
        version: node.version,
        ome: omeOf(node),
        name: name || path,
        xml: undefined,
        manifest,
      });
    } catch (error) {
      if (!(error instanceof AcqError)) throw error;
      found.warnings.push(`The image ${name} is left out: ${error.message}`);
    }
    if (found.images.length >= LIMITS.scenes) return;
  }
}

/** The companion of the image in the group `path`; `undefined` when acqstore did not write it. */
export function readCompanion(
  store: Store,
  path: string,
  manifest: string | undefined,
  ome: JsonObject,
): Companion | undefined {
  const warnings: string[] = [];
  const document = (inside: string): JsonObject | undefined => {
    try {
      const source = store.open(inside);
      return source && parseDocument(source);
    } catch (error) {
      if (!(error instanceof AcqError)) throw error;
      warnings.push(`${inside} is not used: ${error.message}`);
      return undefined;
    }
  };
  const list = document(manifest === undefined ? joinPath(path, MANIFEST) : insidePath(store, '', manifest));
  const own = objectOf(objectOf(ome['acqstore_pixels'])?.['header']);
  if (!list && !own && warnings.length === 0) return undefined;
  const sidecar = textOf(list?.['sidecar']);
  const beside = sidecar === undefined ? undefined : document(insidePath(store, path, sidecar));
  const group = textOf(list?.['reference_image']);
  const header = objectOf(beside?.['image_header_metadata']);
  return {
    header: header ?? headerOf(own),
    origin: header ? 'sidecar' : 'file',
    reference: objectOf(beside?.['reference_image_metadata']) ?? {},
    referenceGroup: group === undefined ? undefined : insidePath(store, path, group),
    warnings,
  };
}

/** The header in the pixels' own attributes lists by axis what the sidecar has by name. */
function headerOf(own: JsonObject | undefined): JsonObject {
  const header: Record<string, unknown> = { date: own?.['date'], time: own?.['time'] };
  listOf(own?.['dims']).forEach((dim, i) => {
    if (typeof dim !== 'string') return;
    header[`physical_unit_${dim.toLowerCase()}`] = listOf(own?.['physical_units'])[i];
    header[`physical_label_${dim.toLowerCase()}`] = listOf(own?.['physical_units_labels'])[i];
  });
  return header;
}

/** The step of the plane's axis that a header gives; it overrides that of the image. `undefined` when it gives none. */
export function stepIn(header: JsonObject, axis: 'y' | 'x', origin: StepOrigin, warnings: string[]): Step | undefined {
  const value = toNumber(header[`physical_unit_${axis}`]);
  const label = textOf(header[`physical_label_${axis}`]);
  if (value === undefined || label === undefined) return undefined;
  return fileStep(value, label, { what: `${axis.toUpperCase()} step of acqstore`, warnings, origin });
}

/** Date and time that a header gives. */
export function clockIn(header: JsonObject): WallClock | undefined {
  return parseDateTime(`${textOf(header['date']) ?? ''} ${textOf(header['time']) ?? ''}`);
}

/** The reference image, given the scene that it was stored as: its calibration and the line on it. */
export function toReference(scene: SceneInfo, companion: Companion, warnings: string[]): ReferenceInfo {
  const { reference } = companion;
  const scanPath = scanPathOf(reference, warnings);
  return {
    sampleType: scene.sampleType,
    channels: scene.channels,
    sizes: { Y: scene.sizes.Y, X: scene.sizes.X },
    steps: {
      Y: stepIn(reference, 'y', 'sidecar', warnings) ?? scene.steps.Y,
      X: stepIn(reference, 'x', 'sidecar', warnings) ?? scene.steps.X,
    },
    lineRoi: lineRoiOf(reference['line_roi'], scanPath),
    scanPath,
  };
}

function scanPathOf(reference: JsonObject, warnings: string[]): ReferenceInfo['scanPath'] {
  const x = listOf(reference['scan_path_x_pixels']).map(toNumber);
  const y = listOf(reference['scan_path_y_pixels']).map(toNumber);
  if (x.length === 0 && y.length === 0) return null;
  const sound = x.length === y.length && x.length >= 2 && [...x, ...y].every((n) => n !== undefined);
  if (sound) return { x: x as number[], y: y as number[] };
  warnings.push(`The scan path is left out: its ${x.length} and ${y.length} coordinates are no path.`);
  return null;
}

/** `(x0, y0, x1, y1)` as text, else from the first to the last point of the path. */
function lineRoiOf(text: unknown, path: ReferenceInfo['scanPath']): ReferenceInfo['lineRoi'] {
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

/** Numbers of the sidecar may be texts. */
function toNumber(value: unknown): number | undefined {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return numberOf(number);
}
