/** Raw files: the frames of a site and tile, one after the other, without a header. */

import { companionMissing } from '../../base/errors.js';
import { Notes } from '../../base/notes.js';
import { about } from '../../base/subject.js';
import { asIncomplete } from '../../base/warning-kinds.js';
import { grouped, plural } from '../../base/wording.js';
import type { ByteSource } from '../../io/byte-source.js';
import type { Folder } from '../../io/folder.js';
import { nameKey } from '../../io/name-index.js';
import type { PlaneColumns, SceneInfo } from '../../model/acquisition.js';
import { collectColumns } from '../../model/metadata/plane-columns.js';
import type { RawFile } from './files.js';
import {
  type FrameShape,
  frameOffset,
  planeRows,
  planeTimes,
  type RawLayout,
  toFrameShape,
  toRawLayout,
} from './layout.js';
import { SETTINGS } from './magic.js';
import { toScene } from './metadata.js';
import type { ThorSettings } from './parse.js';
import { readRawPlane } from './planes.js';
import type { ThorScenes } from './scenes.js';
import { rawTimes, readTiming } from './times.js';

/** Bytes that are compared with zero at a time, and in all of a frame. */
const [PIECE_BYTES, MAX_BYTES] = [2 ** 18, 2 ** 24];

interface RawScene {
  info: SceneInfo;
  layout: RawLayout;
  source: ByteSource;
  timing: Float64Array | undefined;
}

/** @throws AcqError `decode_failed`, `companion_missing` */
export function openRawScenes(folder: Folder, settings: ThorSettings, files: readonly RawFile[]): ThorScenes {
  const shape = about(SETTINGS, () => toFrameShape(settings));
  const opened = files.map((file, i) => openScene(folder, settings, shape, { file, i, of: files.length }));
  return {
    scenes: opened.map(({ info }) => info),
    names: files.map(({ name }) => name),
    find: (name) => {
      const scene = files.findIndex((file) => nameKey(file.name) === nameKey(name));
      return scene < 0 ? undefined : { scene, t: 0, z: 0 };
    },
    readPlane: ({ scene, ...address }, target, signal) => {
      const { source, layout } = opened[scene]!;
      readRawPlane(source, layout, address, target, signal);
    },
    readPlaneColumns: (scene) => readColumns(opened[scene]!),
    scratchBytes: 0,
    checkScene: () => undefined,
    bands: (scene) => opened[scene]?.info.sizes.Y ?? 1,
  };
}

function openScene(
  folder: Folder,
  settings: ThorSettings,
  shape: FrameShape,
  { file, i, of }: { file: RawFile; i: number; of: number },
): RawScene {
  const source = folder.open(file.name);
  if (!source) throw companionMissing(`"${file.name}"`, folder.path);
  const notes = new Notes();
  const layout = about(file.name, () => toRawLayout(settings, shape, source.size, notes));
  describeFrames(settings, layout, notes);
  describeZeros(source, layout, notes);
  // Of several files, it is unknown which one the times are of.
  const frames = layout.times * (layout.Z + layout.flyback);
  const timing = of === 1 ? readTiming(folder, frames, notes) : undefined;
  const T = rawTimes(settings, layout, timing, notes);
  const info = toScene(
    settings,
    {
      name: of > 1 ? `Position ${i + 1}` : '',
      sampleType: 'uint16',
      channels: layout.channels.map(({ name }) => name),
      sizes: { T: planeTimes(layout), Z: layout.Z, Y: planeRows(layout), X: layout.columns },
      rowKind: layout.rowKind,
      frameRows: layout.rows,
      timing,
    },
    T,
    notes,
  );
  return { info, layout, source, timing };
}

function describeFrames({ lsm, isCamera }: ThorSettings, { channels }: RawLayout, notes: Notes): void {
  if (lsm.ThreePhotonEnable === 1 && (lsm.NumberOfPlanes ?? 1) > 1) {
    notes.add(`Each frame has ${plural(lsm.NumberOfPlanes!, 'plane')} below each other. They were not cut apart.`);
  }
  if (isCamera && channels.length > 1) {
    notes.add(`The images of the camera were assumed to alternate between ${plural(channels.length, 'channel')}.`);
  }
}

/** Says how many frames at the end are zeros: files that were allocated before the recording have them when it was stopped. */
function describeZeros(source: ByteSource, layout: RawLayout, notes: Notes): void {
  const { times } = layout;
  if (times < 2 || !isZero(source, layout, times - 1)) return;
  let [first, last] = [0, times - 1];
  while (first < last) {
    const middle = Math.floor((first + last) / 2);
    if (isZero(source, layout, middle)) last = middle;
    else first = middle + 1;
  }
  notes.add(
    asIncomplete(
      `The last ${grouped(times - first)} of ${plural(times, layout.Z > 1 ? 'volume' : 'frame')} are zeros: the recording ` +
        'seems to have been stopped, or to be running. They are shown.',
    ),
  );
}

/** True when the first section of a time point has only zeros, in all channels. */
function isZero(source: ByteSource, layout: RawLayout, t: number): boolean {
  const frameBytes = Math.min(MAX_BYTES, 2 * layout.columns * layout.rows);
  return layout.channels.every((_, channel) => {
    const start = frameOffset(layout, { t, z: 0, channel });
    for (let at = 0; at < frameBytes; at += PIECE_BYTES) {
      const bytes = source.read(start + at, Math.min(PIECE_BYTES, frameBytes - at));
      if (bytes.some((byte) => byte !== 0)) return false;
    }
    return true;
  });
}

function readColumns({ info, layout, timing }: RawScene): PlaneColumns {
  if (!timing || layout.rowKind === 'lines') return {};
  const { Z, flyback, channels } = layout;
  return collectColumns(info, ({ t, z }) => ({ time: timing[t * (Z + flyback) + z] }), channels.length);
}
