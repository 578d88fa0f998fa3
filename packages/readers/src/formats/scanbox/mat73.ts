/** Reads a struct of a MATLAB file of version 7.3, which is HDF5 with a class for each object. */

import { decodeFailed } from '../../base/errors.js';
import { grouped } from '../../base/wording.js';
import { Hdf5File, type Hdf5Object } from '../../hdf5/file.js';
import type { ByteSource } from '../../io/byte-source.js';
import { EMPTY, MATLAB_LIMITS, type MatVariable, toText } from './mat-variable.js';

/** Elements of arrays that are read; lists of events may be longer, and are not needed. */
const MAX_ELEMENTS = 100_000;

/**
 * Returns a variable by its name; `undefined` when the file has none.
 * @throws AcqError `decode_failed`, `unsupported_format`
 */
export async function readMat73(source: ByteSource, name: string): Promise<MatVariable | undefined> {
  const object = new Hdf5File(source).root.child(name);
  return object && new Mat73Reader().value(object, 0);
}

/** Elements of all arrays together. */
const MAX_TOTAL_ELEMENTS = 1_000_000;

class Mat73Reader {
  private left: number = MATLAB_LIMITS.values;
  /** Elements of arrays that may still be read: references may lead to one array again and again. */
  private elementsLeft = MAX_TOTAL_ELEMENTS;

  async value(object: Hdf5Object, depth: number): Promise<MatVariable> {
    if (depth > MATLAB_LIMITS.depth) throw decodeFailed('structs are nested too deep.');
    if (--this.left < 0) throw decodeFailed(`there are more than ${grouped(MATLAB_LIMITS.values)} values.`);
    if (!object.isDataset) return await this.struct(object, depth);
    const { shape } = object.dataset;
    // Dimensions are in the opposite order, so that the numbers are column by column too.
    const dims = [...shape].reverse();
    const count = dims.reduce((product, size) => product * size, 1);
    if (object.number('MATLAB_empty') === 1 || count === 0) return EMPTY;
    const matlabClass = object.text('MATLAB_class');
    if (count > MAX_ELEMENTS || matlabClass === undefined) return { kind: 'other', dims };
    this.elementsLeft -= count;
    if (this.elementsLeft < 0) throw decodeFailed(`there are more than ${grouped(MAX_TOTAL_ELEMENTS)} values.`);
    const { numbers, references } = await object.dataset.values();
    if (matlabClass === 'cell' && references) {
      return { kind: 'cell', dims, cells: await this.referenced(object, references, depth) };
    }
    if (!numbers) return { kind: 'other', dims };
    if (matlabClass === 'char')
      return toText(
        dims,
        numbers.map((code) => String.fromCharCode(code)),
      );
    return { kind: 'numbers', dims, count, at: (i) => numbers[i] ?? Number.NaN };
  }

  /** The fields of an array of structs are arrays of references; those of a single struct are the values. */
  private async struct(group: Hdf5Object, depth: number): Promise<MatVariable> {
    const fields = new Map<string, MatVariable[]>();
    let dims = [1, 1];
    for (const name of group.links.keys()) {
      const field = group.child(name);
      if (!field) continue;
      const isArray =
        field.isDataset && field.text('MATLAB_class') === undefined && field.dataset.type.kind === 'reference';
      const references = isArray ? (await field.dataset.values()).references : undefined;
      if (references) dims = [...field.dataset.shape].reverse();
      fields.set(
        name,
        references ? await this.referenced(field, references, depth) : [await this.value(field, depth + 1)],
      );
    }
    return { kind: 'struct', dims, fields };
  }

  private async referenced(from: Hdf5Object, addresses: readonly number[], depth: number): Promise<MatVariable[]> {
    if (addresses.length > this.left)
      throw decodeFailed(`there are more than ${grouped(MATLAB_LIMITS.values)} values.`);
    const values: MatVariable[] = [];
    for (const address of addresses) values.push(await this.value(from.file.at(address, from.path), depth + 1));
    return values;
  }
}
