/** What Micro-Manager writes about single planes: times, positions and exposures, as JSON in tag 51123 of each page. */

import { ignoreCorrupted } from '../../../base/errors.js';
import type { JsonObject } from '../../../base/json.js';
import { LIMITS } from '../../../base/limits.js';
import { Notes } from '../../../base/notes.js';
import { grouped } from '../../../base/wording.js';
import type { ChannelOptics, PlaneColumns, SceneInfo } from '../../../model/acquisition.js';
import { type MeasuredValues, measuredAxes, type NominalStep, resolveAxis } from '../../../model/metadata/axes.js';
import type { DepthOrder } from '../../../model/metadata/depth-order.js';
import { toInstrument, toOptics } from '../../../model/metadata/instrument.js';
import { spreadIndices } from '../../../model/metadata/intervals.js';
import { parseObject, toNumber } from '../../../model/metadata/micro-manager.js';
import { collectColumns } from '../../../model/metadata/plane-columns.js';
import { countPlanes } from '../../../model/metadata/plane-table.js';
import { toUnit } from '../../../model/metadata/units.js';
import { orderVolumes, type VolumeOrder } from '../../../model/metadata/volume-order.js';
import type { TiffFile, TiffPage } from '../../../tiff/types.js';
import type { Arrangement } from '../arrangement.js';
import { readText } from '../parse.js';
import { PLANE_METADATA } from './signs.js';

/** Planes along one axis of a scene whose metadata an open reads, planes in all, and planes for the order of depths. */
const [MAX_ALONG_AXIS, MAX_READ, MAX_ORDERED] = [64, 256, 256];
/** Planes along one axis of a scene that are read even when there are many scenes. */
const MIN_ALONG_AXIS = 3;
/** Times are milliseconds. */
const TIME_QUANTUM = 0.001;
const POSITIONS = 'positions (ZPositionUm)';

/** The pages of an arrangement that are in the opened file. */
export class PlanePages {
  private readonly arrangement: Pick<Arrangement, 'locate'>;
  private readonly file: TiffFile;
  /** Samples per pixel: so many channels share a page. */
  readonly samples: number;
  private readonly scenes: number;
  private left = MAX_READ;
  /** Planes that an open may still read for the order of depths. */
  leftToOrder = MAX_ORDERED;

  constructor(
    arrangement: Pick<Arrangement, 'locate'>,
    file: TiffFile,
    { samples, scenes }: { samples: number; scenes: number },
  ) {
    this.arrangement = arrangement;
    this.file = file;
    this.samples = samples;
    this.scenes = scenes;
  }

  /** Returns how many planes along each axis an open reads: fewer of each scene when there are many. */
  along({ T, Z }: SceneInfo['sizes']): number {
    const share = Math.floor(MAX_READ / (this.scenes * (T > 1 && Z > 1 ? 2 : 1)));
    return Math.max(MIN_ALONG_AXIS, Math.min(MAX_ALONG_AXIS, share));
  }

  /** Reads the metadata of a plane; `{}` without a page in the opened file, and after too many were read by an open. */
  read(scene: number, page: number, t: number, z: number, isOpen = true): JsonObject {
    if (isOpen && this.left-- <= 0) return {};
    const address = { scene, channel: page * this.samples, t, z };
    const found = ignoreCorrupted(() => this.arrangement.locate(address));
    if (!found || 'piece' in found || found.file !== this.file) return {};
    return parsePlane(found.page);
  }
}

function parsePlane(page: TiffPage): JsonObject {
  return parseObject(readText(page, PLANE_METADATA));
}

const elapsed = (plane: JsonObject) => toUnit('seconds', toNumber(plane['ElapsedTime-ms']), 'ms');
const exposure = (plane: JsonObject) => toUnit('seconds', toNumber(plane['Exposure-ms'] ?? plane['Exposure']), 'ms');
const position = (plane: JsonObject, axis: 'X' | 'Y' | 'Z') => toNumber(plane[`${axis}PositionUm`]);

export interface SceneEvidence {
  index: number;
  /** Steps that were set: of the summary, and of OME-XML. */
  nominal: { T: NominalStep[]; Z: NominalStep[] };
  /** The numbers of the frames by the index, which the pages repeat. */
  frames?: readonly number[];
}

/** A scene and the order of its planes, if that of their numbers is not that of their depths. */
export interface MeasuredScene {
  scene: SceneInfo;
  order?: DepthOrder;
}

/**
 * Completes a scene by what its planes say: the steps and coordinates of T and Z that were measured, the exposure and the
 * camera of its channels, the objective and the stage. What the scene has already is kept.
 */
export function measureScene(scene: SceneInfo, pages: PlanePages, evidence: SceneEvidence): MeasuredScene {
  const { nominal } = evidence;
  const notes = new Notes();
  notes.addAll(scene.warnings);
  const read = remember(pages, evidence.index);
  const { times, depths } = readAxes(scene, pages, read, { evidence, notes });
  const T = { unit: 'seconds' as const, nominal: nominal.T, measured: times };
  const Z = { unit: 'micrometer' as const, nominal: nominal.Z, measured: depths };
  const time = times && resolveAxis('T', scene.sizes.T, T, notes);
  const depth = depths && resolveAxis('Z', scene.sizes.Z, Z, notes);
  const { order, warnings } = depths ? orderStacks(scene, pages, read, nominal.Z) : { warnings: [] };
  notes.addAll(warnings);
  const coordinates = { ...scene.coordinates, ...measuredAxes({ T: time, Z: depth }).coordinates };
  const measured = {
    ...scene,
    steps: { ...scene.steps, ...(time ? { T: time.step } : {}), ...(depth ? { Z: depth.step } : {}) },
    ...(Object.keys(coordinates).length > 0 ? { coordinates } : {}),
    channels: scene.channels.map((channel, c) => ({
      ...opticsOf(read(Math.floor(c / pages.samples), 0, 0)),
      ...channel,
    })),
    ...instrumentOf(read(0, 0, 0)),
    ...(scene.instrument ? { instrument: scene.instrument } : {}),
    warnings: notes.list(),
  };
  return { scene: measured, ...(order && { order }) };
}

type ReadPlane = (page: number, t: number, z: number, isOpen?: boolean) => JsonObject;

/** Reads each plane of a scene once. */
function remember(pages: PlanePages, scene: number): ReadPlane {
  const known = new Map<string, JsonObject>();
  return (page, t, z, isOpen = true) => {
    const key = `${page} ${t} ${z}`;
    const plane = known.get(key) ?? pages.read(scene, page, t, z, isOpen);
    known.set(key, plane);
    return plane;
  };
}

/** Reads times and depths along the axes that are not known yet: those of all indices, or of some. */
function readAxes(
  scene: SceneInfo,
  pages: PlanePages,
  read: ReadPlane,
  { evidence: { frames }, notes }: { evidence: SceneEvidence; notes: Notes },
): { times?: MeasuredValues | undefined; depths?: MeasuredValues | undefined } {
  const max = pages.along(scene.sizes);
  const along = (axis: 'T' | 'Z', value: (plane: JsonObject) => number | undefined) => {
    const size = scene.sizes[axis];
    if (size < 2 || scene.coordinates?.[axis]) return undefined;
    const at = new Float64Array(size).fill(Number.NaN);
    for (const i of spreadIndices(size, max)) {
      const plane = axis === 'T' ? read(0, i, 0) : read(0, 0, i);
      at[i] = value(plane) ?? Number.NaN;
      if (axis === 'T' && frames) noteFrame(plane, frames[i]!, notes);
    }
    return { at, isSample: size > max, planes: countPlanes(scene) };
  };
  const times = along('T', elapsed);
  const depths = along('Z', (plane) => position(plane, 'Z'));
  return {
    times: times && { ...times, what: 'time stamps (ElapsedTime-ms)', quantum: TIME_QUANTUM },
    depths: depths && { ...depths, what: POSITIONS },
  };
}

/** Orders the planes of each time point by their depths. */
function orderStacks(
  { sizes: { T, Z } }: SceneInfo,
  pages: PlanePages,
  read: ReadPlane,
  set: NominalStep[],
): VolumeOrder {
  const max = pages.along({ T, Z, Y: 1, X: 1 });
  if (Z > max) return { warnings: [] };
  const isSeen = new Set(spreadIndices(T, max));
  const found = orderVolumes({
    ...{ T, Z, times: [...isSeen], what: POSITIONS, set: set[0]?.step, max: pages.leftToOrder },
    at: (t, z) => position(read(0, t, z, t === 0 || (z === 0 && isSeen.has(t))), 'Z'),
  });
  if (found.order) pages.leftToOrder -= T * Z;
  return found;
}

/** Returns where planes are once those of each scene are in the order of their depths. */
export function locateInOrder(
  locate: Arrangement['locate'],
  orders: readonly (DepthOrder | undefined)[],
): Arrangement['locate'] {
  return (address) => {
    const order = orders[address.scene];
    const z = order ? order.planeAt(address.t, address.z) : address.z;
    return z === undefined ? undefined : locate({ ...address, z });
  };
}

/** A page repeats the number of its frame, which must be that of the index. */
function noteFrame(plane: JsonObject, frame: number, notes: Notes): void {
  const own = toNumber(plane['FrameIndex'] ?? plane['Frame']);
  if (own === undefined || own === frame) return;
  notes.add(
    `The index of the file says that a plane is frame ${grouped(frame)}, but its page says frame ${grouped(own)}. ` +
      'Showing the planes by the index; some may be at another time point (T).',
  );
}

function opticsOf(plane: JsonObject): ChannelOptics {
  const camera = plane['Camera'] ?? plane['Core-Camera'];
  return toOptics({
    exposureSeconds: exposure(plane),
    detector: typeof camera === 'string' ? camera : undefined,
  });
}

function instrumentOf(plane: JsonObject): Pick<SceneInfo, 'instrument'> {
  const turret = Object.keys(plane).find((key) => /(objective|nosepiece).*-label$/i.test(key));
  const label = turret === undefined ? undefined : plane[turret];
  return toInstrument({
    objective: { name: typeof label === 'string' ? label : undefined },
    stage: { x: position(plane, 'X'), y: position(plane, 'Y'), z: position(plane, 'Z') },
  });
}

/** Reads the columns of a scene from its pages, one by one; nothing of a scene with too many planes to serve. */
export function readColumns(scene: SceneInfo, index: number, pages: PlanePages): PlaneColumns {
  if (countPlanes(scene) > LIMITS.coordinates) return {};
  return collectColumns(
    scene,
    ({ t, z, channel }) => {
      const plane = pages.read(index, channel / pages.samples, t, z, false);
      return {
        ...{ time: elapsed(plane), exposure: exposure(plane) },
        ...{ x: position(plane, 'X'), y: position(plane, 'Y'), z: position(plane, 'Z') },
      };
    },
    pages.samples,
  );
}
