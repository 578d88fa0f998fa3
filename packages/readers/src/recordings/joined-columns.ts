/** What the files of a joined acquisition say of single planes, in the columns of the whole. */
import type { Acquisition, PlaneAddress, PlaneColumns } from '../model/acquisition.js';
import { collectColumns } from '../model/metadata/plane-columns.js';

/** Times of another file count from another moment: only values that are the same whatever file they are in. */
const COLUMNS = ['exposure', 'x', 'y', 'z'] as const;

interface JoinedColumns {
  first: Acquisition;
  find: (address: PlaneAddress) => { part: number; inside: PlaneAddress };
  open: (part: number) => Promise<Acquisition>;
  grid: Readonly<Record<'T' | 'Z' | 'C', number>>;
  scene: number;
  /** Index of the scene in each file. */
  inner: number;
}

/** Reads the columns of every file. */
export async function joinColumns({ first, find, open, grid, scene, inner }: JoinedColumns): Promise<PlaneColumns> {
  const { sizes, channels } = first.info.scenes[inner]!;
  const [T, Z, C] = [sizes.T * grid.T, sizes.Z * grid.Z, channels.length * grid.C];
  const read = new Map<number, PlaneColumns>();
  for (let t = 0; t < T; t += sizes.T) {
    for (let z = 0; z < Z; z += sizes.Z) {
      for (let channel = 0; channel < C; channel += channels.length) {
        const { part } = find({ scene, channel, t, z });
        read.set(part, (await (await open(part)).readPlaneColumns?.(inner)) ?? {});
      }
    }
  }
  return collectColumns({ sizes: { T, Z }, channels: { length: C } }, ({ t, z, channel }) => {
    const { part, inside } = find({ scene, channel, t, z });
    const row = (inside.t * sizes.Z + inside.z) * channels.length + inside.channel;
    const columns = read.get(part)!;
    return Object.fromEntries(COLUMNS.map((name) => [name, columns[name]?.[row]]));
  });
}
