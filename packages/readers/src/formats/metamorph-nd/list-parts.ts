import type { ByteSource } from '../../io/byte-source.js';
import type { NamedPlane } from '../../model/acquisition.js';
import type { ListedParts, PartAxis } from '../../model/recording.js';
import type { NdScene, NdSet } from './arrange.js';
import { findFiles, type NdFiles } from './files.js';
import { parseNd } from './parse.js';

/** Lists the files of a set, by the lines of its `.nd` and the names beside it. @throws AcqError when it has none */
export function listParts(source: ByteSource, name: string, folder: readonly string[]): ListedParts {
  const files = findFiles(folder, name, parseNd(source), 'the folder');
  const { waves, stages } = files;
  const names = stages.flatMap((stage) => namesOf(files, stage));
  const times = stages.some((stage) => waves.some((wave) => files.timesOf(wave, stage).some((time) => time > 1)));
  const varies: Partial<Record<PartAxis, boolean>> = { S: stages.length > 1, T: times, C: waves.length > 1 };
  return { names, along: (['S', 'T', 'C'] as const).filter((axis) => varies[axis]) };
}

/** The files of a position by their times, then by their channels. */
function namesOf(files: NdFiles, stage: number): string[] {
  const recorded = new Set(files.waves.flatMap((wave) => files.timesOf(wave, stage)));
  return [...recorded]
    .sort((a, b) => a - b)
    .flatMap((time) => files.waves.flatMap((wave) => files.at(wave, stage, time) ?? []));
}

/** Returns the first plane of a file of the set. */
export function findFile({ files }: NdSet, scenes: readonly NdScene[], name: string): NamedPlane | undefined {
  for (const [scene, { parts, innerT }] of scenes.entries()) {
    for (const { wave, stage } of parts) {
      const time = files.timesOf(wave, stage).find((one) => files.at(wave, stage, one) === name);
      if (time !== undefined) return { scene, t: (time - 1) * innerT, z: 0 };
    }
  }
  return undefined;
}
