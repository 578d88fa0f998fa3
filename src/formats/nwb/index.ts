/** NWB 2: image series, line scans and images. See `docs/formats/nwb.md`. */
import type { Acquisition, OpenInput, Reader } from '../../acquisition.js';
import { AcqError, decodeFailed, unsupported } from '../../errors.js';
import { Hdf5File } from '../../hdf5/file.js';
import type { ByteSource } from '../../io/byte-source.js';
import { NO_CLOCK, parseDateTime, type WallClock } from '../../metadata/dates.js';
import { uniqueNames } from '../../metadata/names.js';
import type { OpenBeside } from './external.js';
import { readMember } from './facts.js';
import { checkNwb, findSeries } from './find.js';
import { type NwbScene, toScene } from './scenes.js';

export const nwbReader: Reader = { open };

/** Reasons that are kept when many series cannot be read. */
const MOST_REASONS = 20;

async function open({ source, probe, folder, signal }: OpenInput): Promise<Acquisition> {
  if (!source) throw unsupported(`${probe.name}: is a folder; open the .nwb file inside it`);
  return await openNwb(source, probe.name, (name) => folder.openAnyCase(name), signal);
}

/** @throws AcqError `unsupported_format`, `decode_failed` */
export async function openNwb(
  source: ByteSource,
  name: string,
  beside: OpenBeside,
  signal?: AbortSignal,
): Promise<Acquisition> {
  const file = new Hdf5File(source, name);
  checkNwb(file);
  const { found, warnings } = findSeries(file);
  const scenes: NwbScene[] = [];
  let last: AcqError | undefined;
  for (const one of found) {
    signal?.throwIfAborted();
    try {
      scenes.push(await toScene(one, beside));
    } catch (error) {
      if (!(error instanceof AcqError)) throw error;
      last = error;
      if (warnings.length < MOST_REASONS) warnings.push(`${one.name} is left out: ${error.message}`);
    }
  }
  if (scenes.length === 0) throw nothing(name, found.length, warnings, last);
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
      scenes: scenes.map(({ info }, i) => ({
        ...info,
        ...clock,
        name: names[i] as string,
        warnings: [...info.warnings, ...warnings],
      })),
    },
    bands: (index) => sceneAt(index).bands ?? 1,
    async readPlane({ scene, channel, t, z }, target, signal) {
      signal?.throwIfAborted();
      await sceneAt(scene).read({ channel, t, z }, target, signal);
    },
  };
}

function nothing(name: string, found: number, reasons: readonly string[], last: AcqError | undefined): AcqError {
  if (last && found > 0) {
    // One reason keeps its code: a file that is too large or not allowed is told as such.
    return new AcqError(last.code, `${name}: ${reasons.slice(0, 3).join('; ')}`, { cause: last });
  }
  const why = reasons.length > 0 ? ` ${reasons.slice(0, 3).join('; ')}` : '';
  return unsupported(`${name}: is an NWB file without image series, line scans or images.${why}`);
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
