import { type PageLayout, piecesOf, planPages, type TextureLimits } from '../layout.ts';
import { type Device, nearest, SCRATCH } from './device.ts';

/** Rows × columns of samples (R32UI, bits of float32) or of level entries (RGBA32UI) in array textures. */
export class PagedTexture {
  readonly layout: PageLayout;
  readonly raw: boolean;
  /** Rows from the first that hold data. */
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

  /** Uploads whole rows straight from the array. */
  upload(bits: Uint32Array, from: number, end: number): void {
    const { gl } = this.#device;
    const { columns } = this.layout;
    gl.activeTexture(gl.TEXTURE0 + SCRATCH);
    gl.pixelStorei(gl.UNPACK_ROW_LENGTH, columns);
    for (const piece of piecesOf(this.layout, from, end)) {
      gl.bindTexture(gl.TEXTURE_2D_ARRAY, this.#pages[piece.page] as WebGLTexture);
      const { x, y, layer, width, height } = piece;
      const first = piece.row * columns + piece.column;
      const part = bits.subarray(first, first + (height - 1) * columns + width);
      gl.texSubImage3D(gl.TEXTURE_2D_ARRAY, 0, x, y, layer, width, height, 1, gl.RED_INTEGER, gl.UNSIGNED_INT, part);
    }
    gl.pixelStorei(gl.UNPACK_ROW_LENGTH, 0);
    this.present = end;
  }

  /** Fills rows `present` to `end` from a finer texture, each entry from `factor` of its entries. */
  reduceFrom(source: PagedTexture, factor: { rows: number; columns: number }, end: number): void {
    const { gl, reduce, levelFrame } = this.#device;
    const { layout } = this;
    gl.bindFramebuffer(gl.FRAMEBUFFER, levelFrame);
    for (const piece of piecesOf(layout, this.present, end)) {
      const page = this.#pages[piece.page] as WebGLTexture;
      gl.framebufferTextureLayer(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, page, 0, piece.layer);
      const program = source.bind();
      gl.uniform2i(program.place('factor'), factor.columns, factor.rows);
      gl.uniform2i(program.place('origin'), piece.column, piece.row - piece.y);
      source.eachPage(
        piece.row,
        piece.row + piece.height,
        (row) => row * factor.rows,
        (first, last) => {
          this.#device.fill(0, first - piece.row + piece.y, piece.width, last - first);
        },
      );
    }
    reduce.use();
    gl.framebufferTextureLayer(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, null, 0, 0);
    this.present = end;
  }

  /** Makes it the source of the reducing program. */
  bind() {
    const { gl, reduce } = this.#device;
    const { rows, columns, tileWidth, tileHeight, tilesAcross } = this.layout;
    reduce.use();
    gl.uniform1i(reduce.place('raw'), this.raw ? 1 : 0);
    gl.uniform2i(reduce.place('size'), columns, rows);
    gl.uniform1i(reduce.place('present'), this.present);
    gl.uniform4i(reduce.place('tiles'), tileWidth, tileHeight, tilesAcross, 0);
    return reduce;
  }

  /**
   * Calls `draw` with ranges of the cell rows `from` to `end` that begin in one page, that page and the next being bound;
   * `rowOf` is the first row of a cell.
   */
  eachPage(
    from: number,
    end: number,
    rowOf: (cell: number) => number,
    draw: (from: number, end: number) => void,
  ): void {
    const { gl, reduce } = this.#device;
    const { rowsPerPage, pages } = this.layout;
    for (let cell = from; cell < end; ) {
      const page = Math.min(pages - 1, Math.floor(rowOf(cell) / rowsPerPage));
      let last = cell + 1;
      while (last < end && rowOf(last) < (page + 1) * rowsPerPage) last++;
      gl.activeTexture(gl.TEXTURE0);
      gl.bindTexture(gl.TEXTURE_2D_ARRAY, this.#pages[page] as WebGLTexture);
      gl.activeTexture(gl.TEXTURE1);
      gl.bindTexture(gl.TEXTURE_2D_ARRAY, this.#pages[Math.min(pages - 1, page + 1)] as WebGLTexture);
      gl.uniform2i(reduce.place('pageRows'), page * rowsPerPage, (page + 1) * rowsPerPage);
      draw(cell, last);
      cell = last;
    }
  }

  release(): void {
    for (const texture of this.#pages) this.#device.gl.deleteTexture(texture);
    this.#pages.length = 0;
  }
}
