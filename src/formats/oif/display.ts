/** How FluoView shows a channel: its look-up table, and the kind of light that it records. */
import { AcqError } from '../../errors.js';
import { type ChannelDisplay, rampColor } from '../../metadata/colors.js';
import { baseName, type FluoViewSet } from './fluoview-set.js';
import type { RawMain } from './parse.js';

const ENTRIES = 65_536;
const ENTRY_BYTES = 4;
/** Tables are a quarter of a megabyte each; channels beyond this number get no color. */
const MAX_TABLES = 16;

/** Returns one entry per channel of the settings; `LutFileName0` belongs to the first channel. */
export function channelDisplays(set: FluoViewSet, { lightTypes, lutFiles }: RawMain): ChannelDisplay[] {
  const count = Math.max(lightTypes.length, lutFiles.length);
  return Array.from({ length: count }, (_, i) => ({
    color: i < MAX_TABLES ? tableColor(set, lutFiles[i]) : undefined,
    role: /^transmitted/i.test(lightTypes[i] ?? '') ? 'transmitted' : undefined,
  }));
}

/** Returns the color of a look-up table. A missing or corrupted table must not prevent reading the pixels. */
function tableColor(set: FluoViewSet, name: string | undefined): string | undefined {
  try {
    const source = name ? set.open(baseName(name)) : undefined;
    const start = (source?.size ?? 0) - ENTRIES * ENTRY_BYTES;
    if (!source || start < 0) return undefined;
    const bytes = source.read(start, ENTRIES * ENTRY_BYTES);
    // Blue, green, red, and a byte that is not used.
    return rampColor(ENTRIES, (index, component) => bytes[index * ENTRY_BYTES + 2 - component]!);
  } catch (error) {
    if (error instanceof AcqError) return undefined;
    throw error;
  }
}
