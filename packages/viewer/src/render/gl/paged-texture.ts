import type { Samples } from '../../model/samples.ts';
import { type Cells, isCells } from '../cells.ts';
import { type PageLayout, planPages, type TextureLimits, tilePieces } from '../layout.ts';
import { type Device, nearest, SCRATCH } from './device.ts';
import type { Content } from './shaders.ts';

export type UnsignedArray = Uint8Array | Uint16Array | Uint32Array;

/** How the entries of a texture are stored. */
interface Texels {
  readonly content: Content;
  readonly bytes: number;
  readonly format: 'R8UI' | 'R16UI' | 'R32UI' | 'RGBA32UI';
  readonly type: 'UNSIGNED_BYTE' | 'UNSIGNED_SHORT' | 'UNSIGNED_INT';
  /** Bits of a shader's integer above a signed one; 0 for everything else. */
  readonly signShift: number;
}

export const LEVEL_TEXELS: Texels = {
  ...{ content: 'cells', bytes: 16, format: 'RGBA32UI', type: 'UNSIGNED_INT', signShift: 0 },
};

/** Returns how samples or cells are stored, and their bits. */
export function texelsOf(samples: Samples | Cells): { texels: Texels; bits: UnsignedArray } {
  if (isCells(samples)) return { texels: LEVEL_TEXELS, bits: bitsOfCells(samples) };
  const { buffer, byteOffset, length } = samples;
  if (samples instanceof Float32Array) {
    const texels = { content: 'float', bytes: 4, format: 'R32UI', type: 'UNSIGNED_INT', signShift: 0 } as const;
    return { texels, bits: new Uint32Array(buffer, byteOffset, length) };
  }
  if (samples.BYTES_PER_ELEMENT === 1) {
    const signShift = samples instanceof Int8Array ? 24 : 0;
    const texels = { content: 'integer', bytes: 1, format: 'R8UI', type: 'UNSIGNED_BYTE', signShift } as const;
    return { texels, bits: new Uint8Array(buffer, byteOffset, length) };
  }
  const signShift = samples instanceof Int16Array ? 16 : 0;
  const texels = { content: 'integer', bytes: 2, format: 'R16UI', type: 'UNSIGNED_SHORT', signShift } as const;
  return { texels, bits: new Uint16Array(buffer, byteOffset, length) };
}

/** Returns the entries of a level: the bits of low, high and mean, and the count. */
function bitsOfCells({ low, high, mean, count }: Cells): Uint32Array {
  const bits = new Uint32Array(4 * count.length);
  const floats = new Float32Array(bits.buffer);
  for (let i = 0; i < count.length; i++) {
    floats[4 * i] = low[i]!;
    floats[4 * i + 1] = high[i]!;
    floats[4 * i + 2] = mean[i]!;
    bits[4 * i + 3] = count[i]!;
  }
  // The shader tells cells without finite samples from missing rows by their first number.
  for (let i = 0; i < count.length; i++) if (count[i] === 0) bits.fill(0, 4 * i, 4 * i + 4);
  return bits;
}

interface Reduction {
  /** Columns and rows of the source per cell; 0, 0 uses the bounds in texture units 2 and 3. */
  readonly factor: readonly [columns: number, rows: number];
  /** Range of rows of cells, each `width` wide. */
  readonly cells: readonly [from: number, end: number];
  readonly width: number;
  /** Column and row of the cell in the corner of the frame. */
  readonly origin: readonly [column: number, row: number];
  /** Returns the first source row of a row of cells. */
  readonly rowOf: (cell: number) => number;
}

/** Rows × columns of samples (one unsigned integer each) or level entries (four) in array textures. */
export class PagedTexture {
  readonly layout: PageLayout;
  /** Number of rows that have data, starting with the first. */
  present = 0;
  readonly #device: Device;
  readonly #pages: WebGLTexture[] = [];
  readonly #texels: Texels;

  constructor(device: Device, rows: number, columns: number, texels: Texels, limits: TextureLimits) {
    this.#device = device;
    this.#texels = texels;
    this.layout = planPages(rows, columns, texels.bytes, limits);
    const { gl } = device;
    const { tileWidth, tileHeight, tilesAcross, tilesDown, rowsPerPage, pages } = this.layout;
    gl.activeTexture(gl.TEXTURE0 + SCRATCH);
    for (let page = 0; page < pages; page++) {
      const left = rows - page * rowsPerPage;
      const depth = tilesAcross * Math.min(tilesDown, Math.ceil(left / tileHeight));
      const texture = gl.createTexture();
      this.#pages.push(texture);
      gl.bindTexture(gl.TEXTURE_2D_ARRAY, texture);
      gl.texStorage3D(gl.TEXTURE_2D_ARRAY, 1, gl[texels.format], tileWidth, Math.min(tileHeight, left), depth);
      nearest(gl, gl.TEXTURE_2D_ARRAY);
    }
  }

  /** Uploads whole rows directly from the array. */
  upload(bits: UnsignedArray, from: number, end: number): void {
    const { gl } = this.#device;
    const { columns } = this.layout;
    const { content } = this.#texels;
    const type = gl[this.#texels.type];
    const [format, parts] = content === 'cells' ? [gl.RGBA_INTEGER, 4] : [gl.RED_INTEGER, 1];
    gl.activeTexture(gl.TEXTURE0 + SCRATCH);
    gl.pixelStorei(gl.UNPACK_ROW_LENGTH, columns);
    for (const piece of tilePieces(this.layout, from, end)) {
      gl.bindTexture(gl.TEXTURE_2D_ARRAY, this.#pages[piece.page]!);
      const { x, y, layer, width, height } = piece;
      const first = piece.row * columns + piece.column;
      const part = bits.subarray(parts * first, parts * (first + (height - 1) * columns + width));
      gl.texSubImage3D(gl.TEXTURE_2D_ARRAY, 0, x, y, layer, width, height, 1, format, type, part);
    }
    gl.pixelStorei(gl.UNPACK_ROW_LENGTH, 0);
    this.present = end;
  }

  /** Fills the rows `present` to `end`, each entry from `factor` entries of a finer texture. */
  reduceFrom(source: PagedTexture, factor: { rows: number; columns: number }, end: number): void {
    const { gl, levelFrame } = this.#device;
    gl.bindFramebuffer(gl.FRAMEBUFFER, levelFrame);
    for (const piece of tilePieces(this.layout, this.present, end)) {
      const page = this.#pages[piece.page]!;
      gl.framebufferTextureLayer(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, page, 0, piece.layer);
      source.reduceInto({
        factor: [factor.columns, factor.rows],
        cells: [piece.row, piece.row + piece.height],
        width: piece.width,
        origin: [piece.column, piece.row - piece.y],
        rowOf: (row) => Math.min(source.layout.rows, row * factor.rows),
      });
    }
    gl.framebufferTextureLayer(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, null, 0, 0);
    this.present = end;
  }

  /** Draws cells into the bound frame. */
  reduceInto({ factor, cells: [first, end], width, origin, rowOf }: Reduction): void {
    const { gl } = this.#device;
    const { rows, columns, tileWidth, tileHeight, tilesAcross, rowsPerPage, pages } = this.layout;
    for (const { page, from, to, inside } of this.#runs(first, end, rowOf)) {
      const program = this.#device.reduce(this.#texels.content, inside && tilesAcross === 1);
      program.use();
      gl.uniform1i(program.place('signShift'), this.#texels.signShift);
      gl.uniform2i(program.place('factor'), ...factor);
      gl.uniform2i(program.place('origin'), ...origin);
      gl.uniform2i(program.place('size'), columns, rows);
      gl.uniform1i(program.place('present'), this.present);
      gl.uniform3i(program.place('tiles'), tileWidth, tileHeight, tilesAcross);
      gl.uniform2i(program.place('pageRows'), page * rowsPerPage, (page + 1) * rowsPerPage);
      gl.activeTexture(gl.TEXTURE0);
      gl.bindTexture(gl.TEXTURE_2D_ARRAY, this.#pages[page]!);
      gl.activeTexture(gl.TEXTURE1);
      gl.bindTexture(gl.TEXTURE_2D_ARRAY, this.#pages[Math.min(pages - 1, page + 1)]!);
      this.#device.fill(0, from - origin[1], width, to - from);
    }
  }

  /** Yields runs of cell rows that are inside one page, or start in it and end in the next. */
  *#runs(first: number, end: number, rowOf: (cell: number) => number) {
    const { rowsPerPage, pages } = this.layout;
    for (let from = first; from < end; ) {
      const page = Math.min(pages - 1, Math.floor(rowOf(from) / rowsPerPage));
      const border = (page + 1) * rowsPerPage;
      const inside = rowOf(from + 1) <= border;
      let to = from + 1;
      while (inside && to < end && rowOf(to + 1) <= border) to++;
      yield { page, from, to, inside };
      from = to;
    }
  }

  release(): void {
    for (const texture of this.#pages) this.#device.gl.deleteTexture(texture);
    this.#pages.length = 0;
  }
}
