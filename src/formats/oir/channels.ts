/** Which channels own pixels: their order and their names. Everything about a channel is joined by its id. */
import { decodeFailed } from '../../errors.js';
import { LIMITS } from '../../io/limits.js';
import { channelsNamed } from '../../metadata/names.js';
import type { RawProperties } from './properties.js';
import type { Recording } from './recording.js';

export interface OrderedChannels {
  /** Ids of the channels of the frames. */
  ids: string[];
  /** By id: these, and those that only the reference image has. Unique, but for a name that the file repeats there. */
  names: ReadonlyMap<string, string>;
}

/**
 * Channels in the order of the file's own description. When it does not describe all of them, nothing says where the
 * others belong: all are ordered by id, those without a name are numbered in that order, and a warning names them.
 * @throws AcqError `decode_failed`
 */
export function orderChannels(recording: Recording, warnings: string[]): OrderedChannels {
  const owning = new Set(recording.channels);
  if (owning.size > LIMITS.channels) throw decodeFailed(`${recording.name}: names ${owning.size} channels`);
  const described = describedIds(recording.properties);
  const known = described.filter((id) => owning.has(id));
  const ids = known.length === owning.size ? known : [...owning].sort();
  const elsewhere = new Set(recording.references.map(({ channel }) => channel).filter((id) => !owning.has(id)));
  const rest = [...described.filter((id) => elsewhere.delete(id)), ...[...elsewhere].sort()];
  const names = new Map(nameAll(recording.properties, [...ids, ...rest]));
  const unknown = ids.filter((id) => !known.includes(id));
  if (recording.properties && unknown.length > 0) warnings.push(noteUnknown(recording, unknown, names));
  return { ids, names };
}

/** In a description that ends early, a channel counts from its name on. */
function describedIds(properties: RawProperties | undefined): string[] {
  if (!properties) return [];
  return properties.channels.filter(({ name }) => properties.complete || name !== '').map(({ id }) => id);
}

function nameAll(properties: RawProperties | undefined, ids: readonly string[]): [string, string][] {
  const own = new Map(properties?.channels.map(({ id, name }) => [id, name]));
  const named = channelsNamed(ids.map((id) => own.get(id) || undefined));
  return ids.map((id, i) => [id, named[i]?.name ?? id]);
}

function noteUnknown(recording: Recording, unknown: readonly string[], names: ReadonlyMap<string, string>): string {
  const listed = unknown.map((id) => names.get(id)).join(', ');
  const [which, their] = unknown.length === 1 ? ['channel', 'its name'] : ['channels', 'their names'];
  const why = recording.properties?.complete ? 'the file does not describe' : 'the file ends before it describes';
  return `${why} the ${which} shown as ${listed}: ${their} and the order of all channels are assumed`;
}
