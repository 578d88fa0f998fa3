/** Opens the files of a set one by one, as they would open by themselves. */

import { LastOpened } from '../../base/last-used.js';
import type { Acquisition, OpenInput, SceneInfo } from '../../model/acquisition.js';
import { parseDateTime } from '../../model/metadata/dates.js';
import type { RawNd } from './parse.js';

export class NdMembers {
  private readonly load: NonNullable<OpenInput['openOther']>;
  private readonly opened = new LastOpened<Acquisition>();

  constructor(load: NonNullable<OpenInput['openOther']>) {
    this.load = load;
  }

  /**
   * Opens a file of the set.
   * @throws AcqError about this file
   */
  open(name: string): Promise<Acquisition> {
    return this.opened.open(name, () => this.load(name));
  }
}

/**
 * How the planes of a file are understood. A file without the private tags of MetaMorph does not say what its planes are, and a
 * program that saved it again may have guessed.
 */
export type Reading = 'as stored' | 'times are sections' | 'channels are sections';

/** Sizes of a scene of a file, as they are understood. */
export interface MemberSizes {
  T: number;
  Z: number;
  C: number;
}

/** Returns how the planes of the files of a channel are understood: as sections where the `.nd` says so, and the file does not. */
export function chooseReading({ sizes, channels }: SceneInfo, wave: number, nd: RawNd): Reading {
  if (sizes.Z > 1 || nd.doZSeries !== true || nd.wavesDoZ.get(wave) === false) return 'as stored';
  const isNamed = channels.some(({ name }) => !/^CH\d+$/.test(name));
  const [planes, reading] =
    sizes.T > 1 && channels.length === 1
      ? ([sizes.T, 'times are sections'] as const)
      : sizes.T === 1 && !isNamed
        ? ([channels.length, 'channels are sections'] as const)
        : ([1, 'as stored'] as const);
  return planes > 1 && (planes === nd.zSteps || (nd.zStepSize ?? 0) > 0) ? reading : 'as stored';
}

export function readAs({ sizes: { T, Z }, channels }: SceneInfo, reading: Reading): MemberSizes {
  if (reading === 'times are sections') return { T: 1, Z: T, C: channels.length };
  if (reading === 'channels are sections') return { T: 1, Z: channels.length, C: 1 };
  return { T, Z, C: channels.length };
}

/** Returns the address in the file of a plane as it is understood. */
export function toStored(reading: Reading, { channel, t, z }: { channel: number; t: number; z: number }) {
  if (reading === 'times are sections') return { channel, t: z, z: 0 };
  if (reading === 'channels are sections') return { channel: z, t: 0, z: 0 };
  return { channel, t, z };
}

/** Returns the seconds of the first plane of a scene, on the clock of the microscope; `NaN` if the file does not say it. */
export async function startSeconds(member: Acquisition, scene: number): Promise<{ at: number; isRounded: boolean }> {
  const columns = await member.readPlaneColumns?.(scene);
  const [first] = columns?.time ?? [];
  if (first !== undefined && Number.isFinite(first)) return { at: first, isRounded: false };
  return { at: clockSeconds(member.info.scenes[scene]), isRounded: true };
}

export function clockSeconds(scene: Pick<SceneInfo, 'date' | 'time'> | undefined): number {
  if (!scene?.date || !scene.time || !parseDateTime(`${scene.date} ${scene.time}`)) return Number.NaN;
  const { date, time } = scene;
  return Date.parse(`${date.slice(0, 4)}-${date.slice(4, 6)}-${date.slice(6)}T${time}Z`) / 1000;
}
