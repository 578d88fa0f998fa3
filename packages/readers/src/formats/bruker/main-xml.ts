/** Finds the XML that describes a recording. */

import { companionMissing, decodeFailed, unsupported } from '../../base/errors.js';
import { LIMITS } from '../../base/limits.js';
import { grouped } from '../../base/wording.js';
import type { ByteSource } from '../../io/byte-source.js';
import type { Siblings } from '../../io/folder.js';
import { decodeText } from '../../io/text.js';
import type { OpenInput } from '../../model/acquisition.js';
import { findMainXmls, isMainXml } from './magic.js';
import { parseScan, type RawScan } from './parse.js';

/** XML files of other names that are looked into, and the bytes that are read of each. */
const MAX_CANDIDATES = 32;
const HEAD_BYTES = 4096;

/**
 * Returns the XML that was opened, or the only one of the folder that has planes.
 * @throws AcqError `companion_missing`, `unsupported_format`
 */
export function findMainXml({ probe, source, folder }: OpenInput): { source: ByteSource; name: string } {
  if (source) return { source, name: probe.name };
  const named = findMainXmls(folder.list());
  const candidates = named.length > 0 ? named : findRenamed(folder);
  const [name] = candidates;
  if (name === undefined) {
    const advice = 'Copy it there, or open a TIFF by itself.';
    throw companionMissing('the .xml file that describes the planes', folder.path, advice);
  }
  if (candidates.length > 1) {
    throw unsupported(
      `contains ${grouped(candidates.length)} recordings. Open one of their XML files: ${candidates.slice(0, 5).join(', ')}`,
    );
  }
  const main = folder.open(name);
  if (!main) throw companionMissing(`"${name}"`, folder.path);
  return { source: main, name };
}

/** @throws AcqError `decode_failed`, `unsupported_format` */
export function readScan(source: ByteSource): RawScan {
  if (source.size > LIMITS.metadataBytes) {
    throw decodeFailed(`the XML has ${grouped(source.size)} bytes; the limit is ${grouped(LIMITS.metadataBytes)}`);
  }
  const scan = parseScan(decodeText(source.read(0, source.size)));
  if (!scan) throw unsupported('is not the XML of a Prairie View recording');
  return scan;
}

/** Finds XML files of recordings by content: people rename them, and then they are not named like the planes. */
function findRenamed(folder: Siblings): string[] {
  const candidates = folder.list().filter((name) => /\.xml$/i.test(name) && !/_Cycle\d+_/i.test(name));
  return candidates.slice(0, MAX_CANDIDATES).filter((name) => {
    const source = folder.open(name);
    return source !== undefined && isMainXml(source.read(0, Math.min(HEAD_BYTES, source.size)));
  });
}
