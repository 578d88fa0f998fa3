/** The HDF5 library (h5wasm), which writes and reads files in its own memory. */
import h5wasm, { File, type Dataset as H5wasmDataset } from 'h5wasm';
import type { Samples } from './differential.js';

export type LibVersion = 'earliest' | 'v108' | 'v110' | 'v112' | 'v114' | 'v200';

const library = await h5wasm.ready;
// Without it, a chunk that cannot be decoded reads as whatever the memory held before.
library.activate_throwing_error_handler();

/** One array as the library is to write it. */
export interface LibraryArray {
  name: string;
  data: Samples;
  shape: number[];
  chunks: number[] | undefined;
  /** `null` for a dimension without limit. */
  maxShape: (number | null)[] | undefined;
  filter: { id: number; values: number[] } | undefined;
  /** What the array is resized to once it is written; what this adds is never written. */
  resizedTo: number[] | undefined;
}

/** Returns the bytes of a file with some arrays. */
export function writeWithLibrary(arrays: readonly LibraryArray[], version: LibVersion, tracked: boolean): Uint8Array {
  const file = new File('written.h5', 'w', { libver: [version, 'latest'], track_order: tracked });
  try {
    for (const { name, data, shape, chunks, maxShape, filter, resizedTo } of arrays) {
      const dataset = file.create_dataset({
        name,
        data,
        shape,
        chunks: chunks ?? null,
        maxshape: maxShape ?? null,
        ...(filter ? { compression: filter.id, compression_opts: filter.values } : {}),
      });
      if (resizedTo) (dataset as H5wasmDataset).resize(resizedTo);
    }
  } finally {
    file.close();
  }
  return takeFile('written.h5');
}

/** Reads datasets of a file whole. */
export function readWithLibrary(bytes: Uint8Array, names: readonly string[]): Map<string, Samples> {
  library.FS.writeFile('read.h5', bytes);
  const file = new File('read.h5', 'r');
  try {
    return new Map(names.map((name) => [name, (file.get(name) as H5wasmDataset).value as Samples]));
  } finally {
    file.close();
    library.FS.unlink('read.h5');
  }
}

function takeFile(name: string): Uint8Array {
  const bytes = library.FS.readFile(name);
  library.FS.unlink(name);
  return bytes;
}
