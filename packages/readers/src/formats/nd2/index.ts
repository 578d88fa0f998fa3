/** Nikon ND2: the chunk file and the older JPEG 2000 file. See `docs/formats/nd2.md`. */

import { unsupported } from '../../base/errors.js';
import type { Acquisition, OpenInput, Reader } from '../../model/acquisition.js';
import { openChunkFile } from './chunk-file.js';
import { openLegacy } from './legacy.js';
import { hasChunkMagic, isLegacyFile } from './magic.js';

export const reader: Reader = { open };

/** @throws AcqError `unsupported_format`, `decode_failed` */
async function open({ source, probe, signal }: OpenInput): Promise<Acquisition> {
  const { head } = probe;
  if (!source) throw unsupported('is a folder. Open the .nd2 file inside it.');
  if (hasChunkMagic(head)) return openChunkFile(source, signal);
  if (isLegacyFile(head)) return openLegacy(source, signal);
  throw unsupported('is not an ND2 file');
}
