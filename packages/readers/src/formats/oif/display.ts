/** How FluoView shows a channel: its look-up table, and the kind of light that it records. */
import { AcqError } from '../../base/errors.js';
import { type ChannelDisplay, rampColor, runEnds } from '../../model/metadata/colors.js';
import { baseName, type FluoViewSet } from './fluoview-set.js';
import type { RawMain } from './parse.js';

const ENTRIES = 65_536;
const ENTRY_BYTES = 4;
/** Tables are a quarter of a megabyte each; channels beyond this number get no color. */
const MAX_TABLES = 16;

/** Returns one entry per channel of the settings; `LutFileName0` belongs to the first channel. */
export function channelDisplays(set: FluoViewSet, { lightTypes, lutFiles }: RawMain): ChannelDisplay[] {
  const count = Math.max(lightTypes.length, lutFiles.length);
  const entries = new Uint32Array(lutFiles.length > 0 ? ENTRIES : 0);
  return Array.from({ length: count }, (_, i) => ({
    color: i < MAX_TABLES ? tableColor(set, lutFiles[i], entries) : undefined,
    role: /^transmitted/i.test(lightTypes[i] ?? '') ? 'transmitted' : undefined,
  }));
}

/**
 * Returns the color of a look-up table. A missing or corrupted table must not prevent reading the pixels.
 * @param entries memory for a table
 */
function tableColor(set: FluoViewSet, name: string | undefined, entries: Uint32Array): string | undefined {
  try {
    const source = name ? set.open(baseName(name)) : undefined;
    const start = (source?.size ?? 0) - entries.byteLength;
    if (!source || start < 0) return undefined;
    const bytes = new Uint8Array(entries.buffer);
    source.readInto(bytes, start);
    // Blue, green, red, and a byte that is not used. Hundreds of entries in a row are equal.
    return rampColor(ENTRIES, (index, component) => bytes[index * ENTRY_BYTES + 2 - component]!, runEnds(entries));
  } catch (error) {
    if (error instanceof AcqError) return undefined;
    throw error;
  }
}
