import { AcqError } from '../../packages/readers/src/base/errors.js';
import type { Acquisition, SceneInfo } from '../../packages/readers/src/model/acquisition.js';
import { countPlanes } from '../../packages/readers/src/model/metadata/plane-table.js';
import { METADATA_LIMITS, type MetadataEntry, MetadataList } from '../../packages/readers/src/model/metadata-list.js';
import { CoveringTarget } from './covering-target.js';

/** Planes of a damaged file that are tried; a damaged count may announce a million. */
const MAX_TRIES = 12;
const MAX_PIXELS = 2 ** 22;
/** Planes of a scene whose columns are read. */
const MAX_ROWS = 10_000;

/**
 * Opens and reads everything in reach of a damaged acquisition. Throws on anything that is not an honest answer: an
 * error without a code of the table, sizes or steps that cannot be, a plane without all of its samples.
 */
export async function readHonestly(open: () => Acquisition | Promise<Acquisition>): Promise<'refused' | 'opened'> {
  let acquisition: Acquisition;
  try {
    acquisition = await open();
  } catch (error) {
    expectNamed(error);
    return 'refused';
  }
  for (const [index, scene] of acquisition.info.scenes.entries()) {
    if (index >= MAX_TRIES) break;
    expectSane(scene);
    await readScene(acquisition, index, scene);
    await readColumnsHonestly(acquisition, index, scene);
  }
  await listHonestly(acquisition);
  return 'opened';
}

/** Lists the vendor's metadata of the first scene: in bounds, or an honest error. */
export async function listHonestly(acquisition: Acquisition, scene = 0): Promise<MetadataEntry[]> {
  const list = new MetadataList();
  try {
    await acquisition.listMetadata?.(scene, list);
  } catch (error) {
    expectHonest(error);
  }
  const { entries } = list.result();
  let characters = 0;
  for (const { name, value, note = '' } of entries) {
    if (name === '' || value.length > METADATA_LIMITS.valueCharacters) throw new Error(`metadata entry "${name}"`);
    characters += name.length + value.length + note.length;
  }
  if (entries.length > METADATA_LIMITS.entries || characters > METADATA_LIMITS.characters) {
    throw new Error(`${entries.length} metadata entries of ${characters} characters`);
  }
  return entries;
}

export function expectHonest(error: unknown): void {
  if (!(error instanceof AcqError)) throw error;
  if (!['decode_failed', 'companion_missing', 'unsupported_format', 'plane_too_large'].includes(error.code))
    throw error;
}

/** An honest error that says which file it is about. */
function expectNamed(error: unknown): void {
  expectHonest(error);
  const { message, subject } = error as AcqError;
  if (subject === undefined) throw new Error(`about no file: ${message}`);
}

export function expectSane({ sizes, steps, channels }: SceneInfo): void {
  for (const size of Object.values(sizes)) if (!Number.isSafeInteger(size) || size < 1) throw new Error(`size ${size}`);
  for (const { step } of Object.values(steps)) if (!Number.isFinite(step) || step <= 0) throw new Error(`step ${step}`);
  if (new Set(channels.map(({ name }) => name)).size !== channels.length) throw new Error('channel names repeat');
}

async function readScene(acquisition: Acquisition, scene: number, info: SceneInfo): Promise<void> {
  const { sizes, channels, reference } = info;
  const planes = sizes.Y * sizes.X > MAX_PIXELS ? 0 : Math.min(MAX_TRIES, sizes.T * sizes.Z * channels.length);
  for (let i = 0; i < planes; i++) {
    const channel = i % channels.length;
    const t = Math.floor(i / channels.length) % sizes.T;
    const z = Math.floor(i / channels.length / sizes.T) % sizes.Z;
    await readWhole(sizes, (target) => acquisition.readPlane({ scene, channel, t, z }, target));
  }
  if (reference && reference.sizes.Y * reference.sizes.X <= MAX_PIXELS) {
    await readWhole(reference.sizes, async (target) => acquisition.readReference?.(scene, 0, target));
  }
}

/** Columns of single planes have a value, or a gap, for each plane. */
async function readColumnsHonestly(acquisition: Acquisition, scene: number, info: SceneInfo): Promise<void> {
  const total = countPlanes(info);
  if (total > MAX_ROWS) return;
  try {
    const { isFromStart: _, ...columns } = (await acquisition.readPlaneColumns?.(scene)) ?? {};
    for (const column of Object.values(columns)) {
      if (column.length !== total) throw new Error(`${column.length} values for ${total} planes`);
    }
  } catch (error) {
    expectNamed(error);
  }
}

/** A plane is there whole, or its reading is an error: nothing between. */
async function readWhole(
  { Y, X }: { Y: number; X: number },
  read: (target: CoveringTarget) => Promise<void>,
): Promise<void> {
  const target = new CoveringTarget(Y, X);
  try {
    await read(target);
  } catch (error) {
    expectNamed(error);
    return;
  }
  if (!target.complete) throw new Error('a plane was read without all of its samples');
}
