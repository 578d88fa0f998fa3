/** NWB 2: image series, line scans and images. See `docs/formats/nwb.md`. */
import type { Acquisition, OpenInput, Reader } from '../../acquisition.js';
import { AcqError, decodeFailed, unsupported } from '../../errors.js';
import { isMarked } from '../../hdf5/contents.js';
import { Hdf5File } from '../../hdf5/file.js';
import type { ByteSource } from '../../io/byte-source.js';
import { NO_CLOCK, parseDateTime, type WallClock } from '../../metadata/dates.js';
import { uniqueNames } from '../../metadata/names.js';
import { acqstoreImages } from './acqstore.js';
import type { OpenBeside } from './external.js';
import { readMember } from './facts.js';
import { checkNwb, findSeries } from './find.js';
import { type NwbScene, toScene } from './scenes.js';

export const reader: Reader = {
  open,
  claims: ({ source }) => source !== undefined && isMarked(source, 'nwb_version'),
};

/** Reasons that are kept when many series cannot be read. */
const MOST_REASONS = 20;

async function open({ source, probe, folder, signal }: OpenInput): Promise<Acquisition> {
  if (!source) throw unsupported(`${probe.name}: is a folder; open the .nwb file inside it`);
  const { beside, ...acquisition } = await openNwb(source, probe.name, (name) => folder.openAnyCase(name), signal);
  return { ...acquisition, files: () => [probe.name, ...beside] };
}

/**
 * @returns with the names of the sources beside the file that frames are in
 * @throws AcqError `unsupported_format`, `decode_failed`, `companion_missing`
 */
export async function openNwb(
  source: ByteSource,
  name: string,
  beside: OpenBeside,
  signal?: AbortSignal,
): Promise<Acquisition & { beside: string[] }> {
  const file = new Hdf5File(source, name);
  checkNwb(file);
  const { found, warnings, damage } = findSeries(file);
  const own = await acqstoreImages(file, warnings);
  const scenes: NwbScene[] = [...own.scenes];
  const failures: { name: string; error: AcqError }[] = [];
  for (const one of found) {
    signal?.throwIfAborted();
    if (own.parts.has(one.object)) continue;
    try {
      scenes.push(await toScene(one, beside));
    } catch (error) {
      if (!(error instanceof AcqError)) throw error;
      if (failures.length < MOST_REASONS) failures.push({ name: one.name, error });
    }
  }
  if (scenes.length === 0) throw nothing(name, warnings, failures, damage);
  warnings.push(...failures.map(({ name: series, error }) => `${series} is left out: ${error.message}`));
  const clock = await sessionStart(file, warnings);
  const names = uniqueNames(scenes.map(({ info }) => info.name));
  const sceneAt = (index: number): NwbScene => {
    const scene = scenes[index];
    if (!scene) throw decodeFailed(`${name}: has no scene ${index}`);
    return scene;
  };
  return {
    info: {
      format: 'nwb',
      scenes: scenes.map(({ info, clock: ownClock }, i) => ({
        ...info,
        ...(ownClock ?? clock),
        name: names[i] as string,
        warnings: [...info.warnings, ...warnings],
      })),
    },
    beside: scenes.flatMap(({ files }) => files ?? []),
    bands: (index) => sceneAt(index).bands ?? 1,
    scratchBytes: (index) => sceneAt(index).scratchBytes,
    async readPlane({ scene, channel, t, z }, target, signal) {
      signal?.throwIfAborted();
      await sceneAt(scene).read({ channel, t, z }, target, signal);
    },
  };
}

/** The first reason gives the code: a plane that is too large, or a file that is not there, is told as such. */
function nothing(
  name: string,
  warnings: readonly string[],
  failures: readonly { name: string; error: AcqError }[],
  damage: AcqError | undefined,
): AcqError {
  const reasons = [...failures.map((one) => `${one.name}: ${one.error.message}`), ...warnings].slice(0, 3).join('; ');
  const first = failures[0]?.error ?? damage;
  if (first) return new AcqError(first.code, `${name}: nothing in it can be read. ${reasons}`, { cause: first });
  return unsupported(`${name}: is an NWB file without image series, line scans or images. ${reasons}`.trim());
}

/** The clock of the session as written, zone and all left aside. */
async function sessionStart(file: Hdf5File, warnings: string[]): Promise<WallClock> {
  try {
    const [text = ''] = (await readMember(file.root, 'session_start_time'))?.texts ?? [];
    return parseDateTime(text) ?? NO_CLOCK;
  } catch (error) {
    if (!(error instanceof AcqError)) throw error;
    warnings.push(`The start of the session is not read: ${error.message}`);
    return NO_CLOCK;
  }
}
