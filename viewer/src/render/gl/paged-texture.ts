import { type PageLayout, planPages, type TextureLimits, tilePieces } from '../layout.ts';
import { type Device, nearest, SCRATCH } from './device.ts';

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

/** Rows × columns of samples (R32UI, the bits of float32) or level entries (RGBA32UI) in array textures. */
export class PagedTexture {
  readonly layout: PageLayout;
  readonly raw: boolean;
  /** Number of rows that have data, starting with the first. */
  present = 0;
  readonly #device: Device;
  readonly #pages: WebGLTexture[] = [];

  constructor(device: Device, rows: number, columns: number, raw: boolean, limits: TextureLimits) {
    this.#device = device;
    this.raw = raw;
    this.layout = planPages(rows, columns, raw ? 4 : 16, limits);
    const { gl } = device;
    const { tileWidth, tileHeight, tilesAcross, tilesDown, rowsPerPage, pages } = this.layout;
    gl.activeTexture(gl.TEXTURE0 + SCRATCH);
    for (let page = 0; page < pages; page++) {
      const left = rows - page * rowsPerPage;
      const depth = tilesAcross * Math.min(tilesDown, Math.ceil(left / tileHeight));
      const texture = gl.createTexture();
      this.#pages.push(texture);
      gl.bindTexture(gl.TEXTURE_2D_ARRAY, texture);
      gl.texStorage3D(
        gl.TEXTURE_2D_ARRAY,
        1,
        raw ? gl.R32UI : gl.RGBA32UI,
        tileWidth,
        Math.min(tileHeight, left),
        depth,
      );
      nearest(gl, gl.TEXTURE_2D_ARRAY);
    }
  }

  /** Uploads whole rows directly from the array. */
  upload(bits: Uint32Array, from: number, end: number): void {
    const { gl } = this.#device;
    const { columns } = this.layout;
    gl.activeTexture(gl.TEXTURE0 + SCRATCH);
    gl.pixelStorei(gl.UNPACK_ROW_LENGTH, columns);
    for (const piece of tilePieces(this.layout, from, end)) {
      gl.bindTexture(gl.TEXTURE_2D_ARRAY, this.#pages[piece.page]!);
      const { x, y, layer, width, height } = piece;
      const first = piece.row * columns + piece.column;
      const part = bits.subarray(first, first + (height - 1) * columns + width);
      gl.texSubImage3D(gl.TEXTURE_2D_ARRAY, 0, x, y, layer, width, height, 1, gl.RED_INTEGER, gl.UNSIGNED_INT, part);
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
      const program = this.#device.reduce(this.raw, inside && tilesAcross === 1);
      program.use();
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
