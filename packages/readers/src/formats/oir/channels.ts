/** Orders and names the channels that have pixels. Everything about a channel is joined by its id. */
import { decodeFailed } from '../../base/errors.js';
import { LIMITS } from '../../base/limits.js';
import { grouped } from '../../base/wording.js';
import { channelsNamed } from '../../model/metadata/names.js';
import type { RawProperties } from './properties.js';
import type { Recording } from './recording.js';

interface OrderedChannels {
  /** Ids of the channels of the frames. */
  ids: string[];
  /** By id: these, and those that only the reference image has. Unique, except for names that the file repeats there. */
  names: ReadonlyMap<string, string>;
  warnings: string[];
}

/**
 * Returns the channels in the order in which the file describes them. When it does not describe all of them, the place
 * of the others is unknown: then all are ordered by id, those without a name are numbered in that order, and a warning
 * names them.
 * @throws AcqError `decode_failed`
 */
export function orderChannels(recording: Recording): OrderedChannels {
  const owning = new Set(recording.channels);
  if (owning.size > LIMITS.channels) {
    throw decodeFailed(`has ${grouped(owning.size)} channels; the limit is ${grouped(LIMITS.channels)}`);
  }
  const described = describedIds(recording.properties);
  const usable = described.filter((id) => owning.has(id));
  const ids = usable.length === owning.size ? usable : [...owning].sort();
  const elsewhere = new Set(recording.references.map(({ channel }) => channel).filter((id) => !owning.has(id)));
  const rest = [...described.filter((id) => elsewhere.delete(id)), ...[...elsewhere].sort()];
  const names = new Map(nameAll(recording.properties, [...ids, ...rest]));
  const unknown = ids.filter((id) => !usable.includes(id));
  const warnings = recording.properties && unknown.length > 0 ? [describeUnknown(recording, unknown, names)] : [];
  return { ids, names, warnings };
}

/** Returns the ids of described channels; in a description that ends early, of those whose name it reaches. */
function describedIds(properties: RawProperties | undefined): string[] {
  if (!properties) return [];
  return properties.channels.filter(({ name }) => properties.complete || name !== '').map(({ id }) => id);
}

function nameAll(properties: RawProperties | undefined, ids: readonly string[]): [string, string][] {
  const described = new Map(properties?.channels.map(({ id, name }) => [id, name]));
  const named = channelsNamed(ids.map((id) => described.get(id) || undefined));
  return ids.map((id, i) => [id, named[i]?.name ?? id]);
}

function describeUnknown(recording: Recording, unknown: readonly string[], names: ReadonlyMap<string, string>): string {
  const listed = unknown.map((id) => names.get(id)).join(', ');
  const [which, their] = unknown.length === 1 ? ['channel', 'Its name'] : ['channels', 'Their names'];
  const why = recording.properties?.complete ? 'The file does not describe' : 'The file ends before it describes';
  return `${why} the ${which} shown as ${listed}. ${their} and the order of all channels are assumed.`;
}
