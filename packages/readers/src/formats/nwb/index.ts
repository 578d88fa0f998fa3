/** NWB 2: image series, line scans and images. See `docs/formats/nwb.md`. */

import { unsupported } from '../../base/errors.js';
import { sceneWarnings } from '../../base/notes.js';
import { isMarked } from '../../hdf5/contents.js';
import { readersOf } from '../../hdf5/dataset-planes.js';
import { Hdf5File } from '../../hdf5/file.js';
import type { ByteSource } from '../../io/byte-source.js';
import type { Acquisition, OpenInput, Reader } from '../../model/acquisition.js';
import { toInstrument } from '../../model/metadata/instrument.js';
import { laterClock } from '../../model/metadata/later-clock.js';
import { uniqueNames } from '../../model/metadata/names.js';
import { readScenes } from './read-scenes.js';
import type { Beside, NwbScene } from './scenes.js';

export const reader: Reader = {
  open,
  claims: ({ source }) => source !== undefined && isMarked(source, 'nwb_version'),
};

/** The definitions of the data types, which most files contain: the same text in each, and much of it. */
const SCHEMAS = new Set(['specifications']);
/** No session takes three years: stamps above are seconds since 1970. */
const MAX_SECONDS = 1e8;

async function open({ source, probe, folder, signal }: OpenInput): Promise<Acquisition> {
  if (!source) throw unsupported('is a folder. Open the .nwb file inside it.');
  return await openNwb(source, probe.name, folder, signal);
}

/**
 * Opens an NWB file.
 * @param beside the folder of the file, for frames in other files
 * @throws AcqError `unsupported_format`, `decode_failed`, `companion_missing`
 */
export async function openNwb(
  source: ByteSource,
  name: string,
  beside: Beside,
  signal?: AbortSignal,
): Promise<Acquisition> {
  const file = new Hdf5File(source);
  const { scenes, clock, reference, notes } = await readScenes(file, beside, signal);
  const names = uniqueNames(scenes.map(({ info }) => info.name));
  const files = [name, ...scenes.flatMap(({ planes }) => planes.files)];
  return {
    info: {
      format: 'nwb',
      scenes: scenes.map((scene, i) => ({
        ...scene.info,
        ...(scene.clock ?? clock),
        ...toInstrument({ ...scene.info.instrument, start: startOfSeries(scene, reference) }),
        name: names[i]!,
        warnings: sceneWarnings(scene.info.warnings, notes),
      })),
    },
    files: () => files,
    ...readersOf(scenes),
    listMetadata: async (_scene, list) => {
      const { addHdf5 } = await import('../../model/metadata/flatten-hdf5.js');
      await addHdf5(list, file, SCHEMAS);
    },
  };
}

/** Returns when the first entry was taken; nothing when that is not known. */
function startOfSeries({ first = Number.NaN }: NwbScene, reference: string | undefined): string | undefined {
  return reference !== undefined && Math.abs(first) < MAX_SECONDS ? laterClock(reference, first) : undefined;
}
