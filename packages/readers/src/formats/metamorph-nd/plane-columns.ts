import type { PlaneColumns } from '../../model/acquisition.js';
import type { NdPart, NdScene, NdSet } from './arrange.js';
import { clockSeconds, readAs, toStored } from './members.js';

/** Collects what each file of a scene says of its planes. Files that are missing, or cannot be read, have nothing. */
export async function readColumns(set: NdSet, scene: NdScene): Promise<PlaneColumns> {
  const { files } = set;
  const C = scene.parts.reduce((sum, { sizes }) => sum + sizes.C, 0);
  const collected: PlaneColumns = {};
  let channel = 0;
  for (const part of scene.parts) {
    for (const time of files.timesOf(part.wave, part.stage)) {
      const name = files.at(part.wave, part.stage, time)!;
      await addFile(collected, { set, scene, part, name, C, channel, first: (time - 1) * scene.innerT });
    }
    channel += part.sizes.C;
  }
  return collected;
}

interface FileOfScene {
  set: NdSet;
  scene: NdScene;
  part: NdPart;
  name: string;
  /** Channels of the scene, and the first one of this file. */
  C: number;
  channel: number;
  /** The first time point of this file. */
  first: number;
}

async function addFile(
  collected: PlaneColumns,
  { set, scene, part, name, C, channel, first }: FileOfScene,
): Promise<void> {
  const member = await set.members.open(name).catch(() => undefined);
  const info = member?.info.scenes[part.inner];
  if (!member || !info) return;
  const columns = (await member.readPlaneColumns?.(part.inner)) ?? {};
  const clock = columns.time === undefined ? clockSeconds(info) : Number.NaN;
  const own = readAs(info, part.reading);
  const [T, Z, channels] = [Math.min(own.T, scene.innerT), Math.min(own.Z, scene.Z), Math.min(own.C, part.sizes.C)];
  const total = scene.T * scene.Z * C;
  const put = (column: keyof PlaneColumns, row: number, value: number | undefined) => {
    if (value === undefined || !Number.isFinite(value)) return;
    collected[column] ??= new Float64Array(total).fill(Number.NaN);
    collected[column][row] = value;
  };
  for (let i = 0; i < T * Z * channels; i++) {
    const place = { t: Math.floor(i / (Z * channels)), z: Math.floor(i / channels) % Z, channel: i % channels };
    const stored = toStored(part.reading, place);
    const from = (stored.t * info.sizes.Z + stored.z) * info.channels.length + stored.channel;
    const row = ((first + place.t) * scene.Z + place.z) * C + channel + place.channel;
    for (const column of Object.keys(columns) as (keyof PlaneColumns)[]) put(column, row, columns[column]?.[from]);
    // Without stamps, the clock of a file is that of its first plane.
    if (place.z === 0 && place.t === 0) put('time', row, clock);
  }
}
