/** An opened container with its scenes described; shared by files and by the images embedded in them. */
import type { NamedPlane, SceneInfo } from '../../acquisition.js';
import { decodeFailed } from '../../errors.js';
import type { PlaneTarget } from '../../samples/plane-target.js';
import { arrangeScenes, type CziScene } from './arrange.js';
import type { BlockTable } from './blocks.js';
import { coverageWarnings, missingScenes } from './coverage.js';
import { type CziFile, readFile } from './file.js';
import { type SceneTimes, servedChannels, toScene } from './metadata.js';
import type { Parts } from './parts.js';
import { PlaneReader } from './planes.js';

export interface OpenedScene {
  info: SceneInfo;
  /** The rows of its planes are lines, one after the other in time. */
  lines: boolean;
  /** Rows of pieces in its first plane. */
  bands(): number;
  /** Bytes that reading one of its planes takes beside the target. */
  scratchBytes(): number;
  /** Along T or Z only where the scene has more than one entry. */
  read(channel: number, at: { t: number; z: number }, target: PlaneTarget, signal?: AbortSignal): Promise<void>;
}

export interface OpenedContainer {
  file: CziFile;
  scenes: OpenedScene[];
  /** The first plane with a subblock in a part of the set. */
  firstOfPart(part: number): NamedPlane | undefined;
}

/** @throws AcqError `decode_failed`, `unsupported_format` */
export function openScenes(name: string, parts: Parts): OpenedContainer {
  const file = readFile(name, parts);
  const arrangement = arrangeScenes(name, file.table);
  const reader = new PlaneReader(file.table, parts);
  const lost = missingScenes(arrangement.scenes);
  const scenes = arrangement.scenes.map((scene) => {
    const info = toScene(scene, arrangement, file.metadata, timesOf(file, scene));
    info.warnings.unshift(...file.warnings, ...lost);
    info.warnings.push(...coverageWarnings(file.table, scene, info));
    return openScene(name, reader, scene, info);
  });
  return { file, scenes, firstOfPart: (part) => firstOfPart(file.table, arrangement.scenes, part) };
}

function firstOfPart(table: BlockTable, scenes: readonly CziScene[], part: number): NamedPlane | undefined {
  for (const [scene, { blocks, origin, rowAxis }] of scenes.entries()) {
    const places = [...blocks]
      .filter((block) => table.part(block) === part)
      .map((block) => ({
        scene,
        t: rowAxis === 'T' ? 0 : table.start(block, 'T') - origin.T,
        z: rowAxis === 'Z' ? 0 : table.start(block, 'Z') - origin.Z,
      }));
    if (places.length > 0) return places.reduce((a, b) => ((b.t - a.t || b.z - a.z) < 0 ? b : a));
  }
  return undefined;
}

function openScene(name: string, reader: PlaneReader, scene: CziScene, info: SceneInfo): OpenedScene {
  const channels = servedChannels(scene);
  return {
    info,
    lines: scene.rowAxis === 'T',
    bands: () => reader.bands(scene, channels[0]?.channel),
    scratchBytes: () => reader.scratchBytes(scene, channels[0]?.channel),
    async read(channel, at, target, signal) {
      const served = channels[channel];
      if (!served) throw decodeFailed(`${name}: has no channel ${channel}`);
      await reader.read(scene, served.channel, served.sample, at, target, signal);
    },
  };
}

/** Of a scan that was cut, the times of its lines are there all the same: the first ones count. */
function timesOf({ table, stamps, metadata, lostLines }: CziFile, scene: CziScene): SceneTimes {
  const starts = new Set<number>();
  for (const block of scene.blocks) starts.add(table.start(block, 'T') - scene.origin.T);
  const count = scene.extent.T;
  const ofLines = <Value>(values: readonly Value[]) =>
    lostLines > 0 && values.length === count + lostLines ? values.slice(0, count) : values;
  return {
    starts: [...starts].sort((a, b) => a - b),
    stamps: ofLines(stamps),
    offsets: ofLines(metadata.timeOffsets),
  };
}
