/** Makes one acquisition of files that are alike, each at its place along scenes, T, Z and channels. */
import { type AcqError, decodeFailed, unsupported } from '../base/errors.js';
import { LastOpened } from '../base/last-used.js';
import { LIMITS } from '../base/limits.js';
import { Notes } from '../base/notes.js';
import { aboutAsync } from '../base/subject.js';
import { aboutPart, asIncomplete } from '../base/warning-kinds.js';
import { grouped } from '../base/wording.js';
import type {
  Acquisition,
  AcquisitionInfo,
  ChannelInfo,
  OpenInput,
  PlaneAddress,
  SceneInfo,
} from '../model/acquisition.js';
import { channelsNamed } from '../model/metadata/names.js';
import { defaultStep } from '../model/metadata/steps.js';
import type { PartAxis, RecordingEvidence, SplitRecording } from '../model/recording.js';
import { channelDifference, differenceOf, isInTimeOrder } from './alike.js';
import { joinColumns } from './joined-columns.js';
import { type LabeledNames, PART_AXES } from './names.js';
import { describePauses } from './pauses.js';

export interface PartsToJoin {
  names: LabeledNames;
  /** How it is known that they belong together. */
  evidence: RecordingEvidence;
  /** The files, slowest axis first. */
  order: readonly string[];
  /** The file that was asked for. */
  named: { name: string; opened: Acquisition };
  signal?: AbortSignal;
  /** True when the files were compared before: those of planes are opened when they are read. */
  isKnown: boolean;
  onProgress?: OpenInput['onProgress'];
  open(name: string): Promise<Acquisition>;
  contradiction(what: string): AcqError;
}

/** How many files there are along each axis. */
type PartGrid = Record<PartAxis, number>;

/**
 * Joins files, after all of them were opened and compared, now or earlier.
 * @throws AcqError of `contradiction` when files differ in more than their planes
 */
export async function joinParts(parts: PartsToJoin): Promise<Acquisition> {
  const { names, order, named, evidence } = parts;
  const pool = new LastOpened<Acquisition>();
  pool.keep(named.name, named.opened);
  const openPart = (name: string) => pool.open(name, () => aboutAsync(name, () => parts.open(name)));
  const { notes, first, channels } = await compare(parts, openPart);
  const grid: PartGrid = { S: 1, T: 1, Z: 1, C: 1 };
  for (const axis of names.along) grid[axis] = names.numbers[axis]!.length;
  checkSizes(grid, first.info);
  const place = new Places(grid, first.info.scenes.length);
  const part = order.indexOf(named.name);
  const recording: SplitRecording = { parts: order.length, part, along: names.along, evidence };
  const info: AcquisitionInfo = {
    format: named.opened.info.format,
    scenes: toScenes({ names, grid, part: first.info, channels, notes: notes.list() }),
    recording,
    ...(part > 0 && { named: place.firstOf(part, first.info) }),
  };
  const open = async (index: number) => {
    const part = await openPart(order[index]!);
    const difference = parts.isKnown ? differenceOf(first.info, part.info) : undefined;
    if (difference === undefined) return part;
    throw decodeFailed(`${difference} ${order[0]}, unlike before`).about(order[index]!);
  };
  return { info, files: () => order, isJoined: true, ...readersOf({ first, place, open, order, grid }) };
}

interface Compared {
  first: Acquisition;
  /** The first file of each channel. */
  channels: AcquisitionInfo[];
  notes: Notes;
}

/** Opens every file once; of files that are known, only the first ones. */
async function compare(
  { names, order, evidence, isKnown, signal, onProgress, contradiction }: PartsToJoin,
  openPart: PartsToJoin['open'],
): Promise<Compared> {
  const notes = new Notes();
  if (evidence === 'names') notes.add(joinedByNames(order.length, names.along));
  const first = await openPart(order[0]!);
  for (const scene of first.info.scenes) notes.addAll(scene.warnings);
  noteNumbers(names, notes);
  const known = new Set(notes.list());
  const stride = names.along.includes('T')
    ? order.length / names.numbers.T!.length / (names.numbers.S?.length ?? 1)
    : 0;
  const clocks = [first.info.scenes[0]!];
  // C is the fastest axis of the order: these files have all channels.
  const channelParts = names.numbers.C?.length ?? 1;
  const channels = [first.info];
  for (const [i, name] of order.entries()) {
    if (i === 0) continue;
    if (isKnown && i >= channelParts) break;
    signal?.throwIfAborted();
    onProgress?.({ done: i, total: order.length });
    const { info } = await openPart(name);
    if (i < channelParts) channels.push(info);
    const difference = differenceOf(first.info, info) ?? channelDifference(channels[i % channelParts]!, info);
    if (difference !== undefined) throw contradiction(`${name} ${difference} ${order[0]}`);
    for (const warning of info.scenes.flatMap(({ warnings }) => warnings)) {
      if (!known.has(warning)) notes.add(aboutPart(name, warning));
    }
    clocks.push(info.scenes[0]!);
    const isNext = stride > 0 && i >= stride && i % (stride * names.numbers.T!.length) >= stride;
    if (isNext && !isInTimeOrder(clocks[i - stride]!, clocks[i]!)) {
      throw contradiction(`${name} was recorded before ${order[i - stride]}, by their dates`);
    }
  }
  // The files of the first scene, section and channel.
  const times = names.numbers.T?.length ?? 0;
  const timed = clocks.flatMap((scene, i) =>
    i % stride === 0 && i < stride * times ? [{ name: order[i]!, scene }] : [],
  );
  const pauses = describePauses(timed);
  if (pauses !== undefined) notes.add(pauses);
  return { first, channels, notes };
}

/** The warning about files of which only their names say that they belong together. */
export function joinedByNames(count: number, along: readonly PartAxis[]): string {
  return (
    `The ${grouped(count)} files were joined by the numbers in their names (${along.join(', ')}); nothing in the files says that they ` +
    'belong together.'
  );
}

/** Says what numbers that do not count from the start, one by one, leave open. */
function noteNumbers({ along, numbers }: LabeledNames, notes: Notes): void {
  for (const axis of along) {
    const [first = 0n, second = 0n] = numbers[axis]!;
    if (axis !== 'T' && axis !== 'Z') continue;
    if (first > 1n)
      notes.add(asIncomplete(`The numbers of ${axis} begin with ${first}: files before it may be missing.`));
    if (second - first > 1n) notes.add(`The numbers of ${axis} in the names go by ${second - first}.`);
  }
}

function checkSizes(grid: PartGrid, { scenes }: AcquisitionInfo): void {
  const most = (size: (scene: SceneInfo) => number) => Math.max(...scenes.map(size));
  const isTooLarge =
    grid.S * scenes.length > LIMITS.scenes ||
    grid.C * most(({ channels }) => channels.length) > LIMITS.channels ||
    grid.T * most(({ sizes }) => sizes.T) > LIMITS.planes ||
    grid.Z * most(({ sizes }) => sizes.Z) > LIMITS.planes;
  if (isTooLarge) throw unsupported('the files make more scenes, channels or planes together than can be read');
}

/** Where the planes of the whole are: in which file, and where in it. */
class Places {
  private readonly grid: PartGrid;
  /** Scenes of each file. */
  private readonly scenes: number;

  constructor(grid: PartGrid, scenes: number) {
    this.grid = grid;
    this.scenes = scenes;
  }

  /** @param inside the scene in the file */
  find(
    { scene, channel, t, z }: PlaneAddress,
    { sizes, channels }: PartPlanes,
  ): { part: number; inside: PlaneAddress } {
    const { T, Z, C } = this.grid;
    const at = (index: number, size: number) => [Math.floor(index / size), index % size] as const;
    const [s, insideScene] = at(scene, this.scenes);
    const [partT, insideT] = at(t, sizes.T);
    const [partZ, insideZ] = at(z, sizes.Z);
    const [partC, insideC] = at(channel, channels.length);
    return {
      part: ((s * T + partT) * Z + partZ) * C + partC,
      inside: { scene: insideScene, channel: insideC, t: insideT, z: insideZ },
    };
  }

  /** Returns the first plane of a file. */
  firstOf(part: number, { scenes }: AcquisitionInfo) {
    const { T, Z, C } = this.grid;
    const { sizes } = scenes[0]!;
    const plane = Math.floor(part / C);
    return {
      scene: Math.floor(plane / Z / T) * this.scenes,
      t: (Math.floor(plane / Z) % T) * sizes.T,
      z: (plane % Z) * sizes.Z,
    };
  }
}

type PartPlanes = Pick<SceneInfo, 'sizes' | 'channels'>;

interface Whole {
  names: LabeledNames;
  grid: PartGrid;
  part: AcquisitionInfo;
  channels: AcquisitionInfo[];
  notes: string[];
}

function toScenes({ names, grid, part, channels, notes }: Whole): SceneInfo[] {
  return Array.from({ length: grid.S * part.scenes.length }, (_, index) => {
    const scene = part.scenes[index % part.scenes.length]!;
    const { coordinates = {}, axisWarnings, ...rest } = scene;
    const text = names.texts.S?.[Math.floor(index / part.scenes.length)];
    // Values that were to be read later come with the times of planes, which count from another moment in each file.
    const kept = Object.entries(coordinates).filter(([axis, values]) => !isJoined(axis, grid) && !values.isLater);
    const said = Object.entries(axisWarnings ?? {}).filter(([axis]) => !isJoined(axis, grid));
    return {
      ...rest,
      name: text === undefined ? scene.name : [text, scene.name].filter((name) => name !== '').join(' '),
      channels: toChannels(
        channels.map(({ scenes }) => scenes[index % part.scenes.length]!.channels),
        names.texts.C,
      ),
      sizes: { ...scene.sizes, T: scene.sizes.T * grid.T, Z: scene.sizes.Z * grid.Z },
      steps: {
        ...scene.steps,
        // From file to file the distance may be another one than inside of them.
        ...(isJoined('T', grid) && scene.sizes.T === 1 ? { T: defaultStep('Frames') } : {}),
        ...(isJoined('Z', grid) && scene.sizes.Z === 1 ? { Z: defaultStep('Planes') } : {}),
      },
      ...(kept.length > 0 ? { coordinates: Object.fromEntries(kept) } : {}),
      ...(said.length > 0 ? { axisWarnings: Object.fromEntries(said) } : {}),
      warnings: [...notes],
    };
  });
}

function isJoined(axis: string, grid: PartGrid): boolean {
  return PART_AXES.some((name) => name === axis && grid[name] > 1);
}

/** Where channels of several files have the same names, or none, the numbers in the names of the files tell them apart. */
function toChannels(parts: readonly ChannelInfo[][], texts: readonly string[] | undefined): ChannelInfo[] {
  const all = parts.flat();
  if (!texts || new Set(all.map(({ name }) => name)).size === all.length) return all;
  const named = channelsNamed(
    parts.flatMap((channels, i) =>
      channels.map(({ name }) => (channels.length === 1 ? texts[i]! : `${texts[i]} ${name}`)),
    ),
  );
  return all.map((channel, i) => ({ ...channel, name: named[i]!.name }));
}

interface Joined {
  first: Acquisition;
  place: Places;
  open: (part: number) => Promise<Acquisition>;
  order: readonly string[];
  grid: PartGrid;
}

function readersOf({ first, place, open, order, grid }: Joined): Omit<Acquisition, 'info' | 'files'> {
  const inner = (scene: number) => scene % first.info.scenes.length;
  const find = (address: PlaneAddress) => place.find(address, first.info.scenes[inner(address.scene)]!);
  const { bands, interleaved, readsOnce, scratchBytes, checkScene, listMetadata } = first;
  return {
    readPlane: async (address, ...rest) => {
      const { part, inside } = find(address);
      await aboutAsync(order[part]!, async () => (await open(part)).readPlane(inside, ...rest));
    },
    // Channels of several files are not read together.
    ...(grid.C === 1 && first.readChannels
      ? {
          readChannels: async (plane, ...rest) => {
            const { part, inside } = find({ ...plane, channel: 0 });
            await aboutAsync(order[part]!, async () => (await open(part)).readChannels!(inside, ...rest));
          },
        }
      : {}),
    ...(bands && { bands: (scene) => bands(inner(scene)) }),
    ...(grid.C === 1 && interleaved ? { interleaved: (scene) => interleaved(inner(scene)) } : {}),
    ...(grid.C === 1 && readsOnce ? { readsOnce: (scene) => readsOnce(inner(scene)) } : {}),
    ...(scratchBytes && { scratchBytes: (scene) => scratchBytes(inner(scene)) }),
    ...(checkScene && { checkScene: (scene) => checkScene(inner(scene)) }),
    ...(listMetadata && { listMetadata: (scene, list) => listMetadata(inner(scene), list) }),
    ...(first.readPlaneColumns && {
      readPlaneColumns: (scene) => joinColumns({ first, find, open, grid, scene, inner: inner(scene) }),
    }),
  };
}
