import { companionMissing } from '../../base/errors.js';
import type { ByteSource } from '../../io/byte-source.js';
import type { OpenInput } from '../../model/acquisition.js';

const HEADER = '.meta.txt';
const SAMPLES = '.pmt.dat';

/**
 * Opens both files of a line scan, whichever of them was named.
 * @throws AcqError `companion_missing` when the other file is not in the folder
 */
export function openPair(input: OpenInput): { header: ByteSource; samples: ByteSource } {
  const opened = input.source!;
  if (opened.name.toLowerCase().endsWith(HEADER)) {
    return { header: opened, samples: openOther(input, HEADER, SAMPLES, 'the samples of the line scan') };
  }
  return { header: openOther(input, SAMPLES, HEADER, 'the header of the line scan'), samples: opened };
}

function openOther({ probe, folder }: OpenInput, from: string, to: string, what: string): ByteSource {
  const name = probe.name.slice(0, -from.length) + to;
  const source = folder.openAnyCase(name);
  if (!source) throw companionMissing(`"${name}" (${what})`, folder.path);
  return source;
}
