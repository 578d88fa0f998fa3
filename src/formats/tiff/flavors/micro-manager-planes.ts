/** What Micro-Manager writes about single planes: times, positions and exposures, as JSON in tag 51123 of each page. */

import type { ChannelOptics, PlaneColumns, SceneInfo } from '../../../acquisition.js';
import { ignoreCorrupted } from '../../../errors.js';
import { measuredAxes, type NominalStep, resolveAxis } from '../../../metadata/axes.js';
import { toInstrument, toOptics } from '../../../metadata/instrument.js';
import { spreadIndices } from '../../../metadata/intervals.js';
import { parseObject, toNumber } from '../../../metadata/micro-manager.js';
import { collectColumns } from '../../../metadata/plane-columns.js';
import { countPlanes } from '../../../metadata/plane-table.js';
import { toUnit } from '../../../metadata/units.js';
import { Notes } from '../../../notes.js';
import type { TiffFile, TiffPage } from '../../../tiff/types.js';
import { grouped } from '../../../wording.js';
import type { Arrangement } from '../arrangement.js';
import { readText } from '../parse.js';
import { PLANE_METADATA } from './micro-manager-text.js';

type Settings = Record<string, unknown>;

/** Planes along one axis of a scene whose metadata an open reads, and planes in all. */
const [MAX_ALONG_AXIS, MAX_READ] = [64, 256];
/** Planes whose metadata are read one by one for a table. */
const MAX_TABLE = 20_000;
/** Times are milliseconds. */
const TIME_QUANTUM = 0.001;

/** The pages of an arrangement that are in the opened file. */
export class PlanePages {
  private readonly arrangement: Pick<Arrangement, 'locate'>;
  private readonly file: TiffFile;
  /** Samples per pixel: so many channels share a page. */
  readonly samples: number;
  private left = MAX_READ;

  constructor(arrangement: Pick<Arrangement, 'locate'>, file: TiffFile, samples: number) {
    this.arrangement = arrangement;
    this.file = file;
    this.samples = samples;
  }

  /** Reads the metadata of a plane; `{}` without a page in the opened file, and after too many were read by an open. */
  read(scene: number, page: number, t: number, z: number, isOpen = true): Settings {
    if (isOpen && this.left-- <= 0) return {};
    const address = { scene, channel: page * this.samples, t, z };
    const found = ignoreCorrupted(() => this.arrangement.locate(address));
    if (!found || 'piece' in found || found.file !== this.file) return {};
    return parsePlane(found.page);
  }
}

function parsePlane(page: TiffPage): Settings {
  return parseObject(readText(page, PLANE_METADATA));
}

const elapsed = (plane: Settings) => toUnit('seconds', toNumber(plane['ElapsedTime-ms']), 'ms');
const exposure = (plane: Settings) => toUnit('seconds', toNumber(plane['Exposure-ms'] ?? plane['Exposure']), 'ms');
const position = (plane: Settings, axis: 'X' | 'Y' | 'Z') => toNumber(plane[`${axis}PositionUm`]);

export interface SceneEvidence {
  index: number;
  /** Steps that were set: of the summary, and of OME-XML. */
  nominal: { T: NominalStep[]; Z: NominalStep[] };
  /** The numbers of the frames by the index, which the pages repeat. */
  frames?: readonly number[];
}

/**
 * Completes a scene by what its planes say: the steps and coordinates of T and Z that were measured, the exposure and the
 * camera of its channels, the objective and the stage. What the scene has already is kept.
 */
export function measureScene(scene: SceneInfo, pages: PlanePages, evidence: SceneEvidence): SceneInfo {
  const { index, nominal, frames } = evidence;
  const notes = new Notes();
  notes.addAll(scene.warnings);
  const { T, Z } = scene.sizes;
  const known = new Map<string, Settings>();
  const read = (page: number, t: number, z: number) => {
    const key = `${page} ${t} ${z}`;
    const plane = known.get(key) ?? pages.read(index, page, t, z);
    known.set(key, plane);
    return plane;
  };
  const along = (axis: 'T' | 'Z', size: number, value: (plane: Settings) => number | undefined) => {
    const at = new Float64Array(size).fill(Number.NaN);
    if (size < 2 || scene.coordinates?.[axis]) return undefined;
    for (const i of spreadIndices(size, MAX_ALONG_AXIS)) {
      const plane = axis === 'T' ? read(0, i, 0) : read(0, 0, i);
      at[i] = value(plane) ?? Number.NaN;
      if (axis === 'T' && frames) noteFrame(plane, frames[i]!, notes);
    }
    return { at, isSample: size > MAX_ALONG_AXIS };
  };
  const times = along('T', T, elapsed);
  const depths = along('Z', Z, (plane) => position(plane, 'Z'));
  const time =
    times &&
    resolveAxis(
      'T',
      T,
      {
        unit: 'seconds',
        nominal: nominal.T,
        measured: { ...times, what: 'time stamps (ElapsedTime-ms)', quantum: TIME_QUANTUM },
      },
      notes,
    );
  const depth =
    depths &&
    resolveAxis(
      'Z',
      Z,
      { unit: 'micrometer', nominal: nominal.Z, measured: { ...depths, what: 'positions (ZPositionUm)' } },
      notes,
    );
  const coordinates = { ...scene.coordinates, ...measuredAxes({ T: time, Z: depth }).coordinates };
  return {
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
}

/** A page repeats the number of its frame, which must be that of the index. */
function noteFrame(plane: Settings, frame: number, notes: Notes): void {
  const own = toNumber(plane['FrameIndex'] ?? plane['Frame']);
  if (own === undefined || own === frame) return;
  notes.add(
    `The index of the file says that a plane is frame ${grouped(frame)}, but its page says frame ${grouped(own)}. ` +
      'Showing the planes by the index; some may be at another time point (T).',
  );
}

function opticsOf(plane: Settings): ChannelOptics {
  const camera = plane['Camera'] ?? plane['Core-Camera'];
  return toOptics({
    exposureSeconds: exposure(plane),
    detector: typeof camera === 'string' ? camera : undefined,
  });
}

function instrumentOf(plane: Settings): Pick<SceneInfo, 'instrument'> {
  const turret = Object.keys(plane).find((key) => /(objective|nosepiece).*-label$/i.test(key));
  const label = turret === undefined ? undefined : plane[turret];
  return toInstrument({
    objective: { name: typeof label === 'string' ? label : undefined },
    stage: { x: position(plane, 'X'), y: position(plane, 'Y'), z: position(plane, 'Z') },
  });
}

/** Reads the columns of a scene from its pages, one by one; nothing of a scene with too many planes. */
export function readColumns(scene: SceneInfo, index: number, pages: PlanePages): PlaneColumns {
  if (countPlanes(scene) / pages.samples > MAX_TABLE) return {};
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
