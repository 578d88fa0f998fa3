/** Opens a container and describes its scenes. Files and the images embedded in them are containers alike. */

import { decodeFailed } from '../../base/errors.js';
import { Notes } from '../../base/notes.js';
import { about } from '../../base/subject.js';
import type { NamedPlane, ReadColumns, SceneInfo } from '../../model/acquisition.js';
import type { PlaneTarget } from '../../model/samples/plane-target.js';
import { arrangeScenes, type CziChannel, type CziScene } from './arrange.js';
import type { SubblockTable } from './blocks.js';
import { coverageWarnings, missingScenes } from './coverage.js';
import { type SceneTimes, servedChannels, toScene } from './metadata.js';
import { type CziFile, readContainer } from './parse.js';
import type { CziParts } from './parts.js';
import { PlanePlanner } from './plan.js';
import { readPlaneColumns } from './plane-columns.js';
import { CziPlaneReader, type SamplePick } from './planes.js';

export interface OpenedScene {
  info: SceneInfo;
  /** True when the rows of its planes are lines in time. */
  lines: boolean;
  /** Returns the number of rows at which the pieces of its first plane start. */
  countBands(): number;
  /** Returns the bytes that reading one of its planes takes beside the target. */
  scratchBytes(): number;
  /** @throws AcqError `decode_failed`, `unsupported_format`, `companion_missing` */
  read(
    address: { channel: number; t: number; z: number },
    target: PlaneTarget,
    signal?: AbortSignal | undefined,
  ): Promise<void>;
  /** True when all channels are samples of the same raw pixels. */
  readsOnce(): boolean;
  /** Reads what the subblocks say of their planes. */
  readPlaneColumns(): ReadColumns;
  /**
   * Reads channels of a plane, each into its target; samples of the same pixels in one pass of the file.
   * @throws AcqError `decode_failed`, `unsupported_format`, `companion_missing`
   */
  readChannels(
    plane: { t: number; z: number },
    channels: readonly number[],
    targets: readonly PlaneTarget[],
    signal?: AbortSignal | undefined,
  ): Promise<void>;
}

export interface OpenedContainer {
  file: CziFile;
  scenes: OpenedScene[];
  /** Finds the first plane with a subblock in a part of the set. */
  firstOfPart(part: number): NamedPlane | undefined;
}

/** @throws AcqError `decode_failed`, `unsupported_format` */
export function openScenes(parts: CziParts): OpenedContainer {
  return about(parts.main.name, () => describeContainer(parts));
}

function describeContainer(parts: CziParts): OpenedContainer {
  const file = readContainer(parts);
  const arrangement = arrangeScenes(file.table);
  const planner = new PlanePlanner(file.table);
  const reader = new CziPlaneReader(planner, parts);
  const lost = missingScenes(arrangement.scenes);
  const scenes = arrangement.scenes.map((scene) => {
    const info = toScene(scene, arrangement, file.metadata, findTimes(file, scene));
    const notes = new Notes();
    for (const warnings of [file.warnings, lost, info.warnings, coverageWarnings(planner, scene, info)]) {
      notes.addAll(warnings);
    }
    const described = { ...info, warnings: notes.list() };
    const columns = () => readPlaneColumns(scene, { table: file.table, parts, info: described });
    return { ...openScene(scene, described, reader), readPlaneColumns: columns };
  });
  return { file, scenes, firstOfPart: (part) => findFirstOfPart(file.table, arrangement.scenes, part) };
}

function findFirstOfPart(table: SubblockTable, scenes: readonly CziScene[], part: number): NamedPlane | undefined {
  for (const [scene, { blocks, origin, rowAxis }] of scenes.entries()) {
    const planes = [...blocks]
      .filter((block) => table.part(block) === part)
      .map((block) => ({
        scene,
        t: rowAxis === 'T' ? 0 : table.start(block, 'T') - origin.T,
        z: rowAxis === 'Z' ? 0 : table.start(block, 'Z') - origin.Z,
      }));
    if (planes.length > 0) return planes.reduce((a, b) => ((b.t - a.t || b.z - a.z) < 0 ? b : a));
  }
  return undefined;
}

function openScene(scene: CziScene, info: SceneInfo, reader: CziPlaneReader): Omit<OpenedScene, 'readPlaneColumns'> {
  const channels = servedChannels(scene);
  const first = channels[0]!.channel;
  const readChannels: OpenedScene['readChannels'] = async ({ t, z }, list, targets, signal) => {
    const picks = new Map<CziChannel, SamplePick[]>();
    for (const [i, index] of list.entries()) {
      const served = channels[index];
      if (!served) throw decodeFailed(`there is no channel ${index}`);
      const { channel, sample } = served;
      picks.set(channel, [...(picks.get(channel) ?? []), { sample, target: targets[i]! }]);
    }
    for (const [channel, samples] of picks) await reader.read(scene, { channel, t, z }, samples, signal);
  };
  return {
    info,
    lines: scene.rowAxis === 'T',
    countBands: () => reader.countBands(scene, first),
    scratchBytes: () => reader.scratchBytes(scene, first),
    readsOnce: () =>
      channels.length > 1 &&
      channels.every(({ channel }) => channel === first) &&
      reader.scratchBytes(scene, first) === 0,
    read: ({ channel, ...plane }, target, signal) => readChannels(plane, [channel], [target], signal),
    readChannels,
  };
}

/** Returns the times of the lines that are in the file, when some at the end are lost. */
function findTimes({ table, stamps, metadata, lostLines }: CziFile, scene: CziScene): SceneTimes {
  const starts = new Set<number>();
  for (const block of scene.blocks) starts.add(table.start(block, 'T') - scene.origin.T);
  const count = scene.extent.T;
  const firstLines = <Value>(values: readonly Value[]) =>
    lostLines > 0 && values.length === count + lostLines ? values.slice(0, count) : values;
  return {
    starts: [...starts].sort((a, b) => a - b),
    stamps: firstLines(stamps),
    offsets: firstLines(metadata.timeOffsets),
  };
}
