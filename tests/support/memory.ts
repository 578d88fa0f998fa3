import { Folder } from '../../packages/readers/src/io/folder.js';
import type { Acquisition } from '../../packages/readers/src/model/acquisition.js';
import { HEAD_BYTES } from '../../packages/readers/src/model/input-beside.js';
import { NativeTarget } from '../../packages/readers/src/model/samples/plane-target.js';
import { type InputOptions, openInput } from '../../packages/readers/src/open/open-input.js';
import { FilesInMemory } from './files-in-memory.js';

/**
 * Opens a file that is in memory, by its content and its name, as the server opens one that is on a disk.
 * @param beside other files of its folder
 * @param options as of `openInput`
 */
export async function openBytes(
  name: string,
  bytes: Uint8Array,
  beside: Readonly<Record<string, Uint8Array>> = {},
  options: InputOptions = {},
): Promise<Acquisition> {
  const files = new FilesInMemory(new Map([[name, bytes], ...Object.entries(beside)]));
  const source = files.open(name)!;
  const probe = { name, kind: 'file', head: bytes.subarray(0, HEAD_BYTES), entries: [], size: bytes.length } as const;
  return (await openInput({ probe, source, folder: new Folder(files) }, options)).acquisition;
}

/** Opens a folder that is in memory, such as an OME-Zarr. */
export async function openFolder(name: string, content: ReadonlyMap<string, Uint8Array>): Promise<Acquisition> {
  const files = new FilesInMemory(content);
  const probe = { name, kind: 'directory', head: new Uint8Array(), entries: files.list('') ?? [], size: 0 } as const;
  return (await openInput({ probe, folder: new Folder(files) })).acquisition;
}

/** Returns the samples of a plane in the type of the file. */
export async function samplesOf({ info, readPlane }: Acquisition, { scene = 0, channel = 0, t = 0, z = 0 } = {}) {
  const { sampleType, sizes } = info.scenes[scene]!;
  const target = new NativeTarget(sampleType, sizes.Y, sizes.X);
  await readPlane({ scene, channel, t, z }, target);
  return target.data;
}
