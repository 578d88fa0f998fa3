/** Division of a plane into array textures ("pages") of tiles, within the limits of the graphics card. */
export interface PageLayout {
  readonly rows: number;
  readonly columns: number;
  readonly tileWidth: number;
  readonly tileHeight: number;
  readonly tilesAcross: number;
  readonly tilesDown: number;
  readonly rowsPerPage: number;
  readonly pages: number;
}

export interface TextureLimits {
  readonly maxSize: number;
  readonly maxLayers: number;
  /** Drivers refuse large textures (Direct3D guarantees 128 MB) even when much more memory is free. */
  readonly maxPageBytes: number;
}

/** Min rows per page. A cell has at most this many rows of a level, so it spans at most two pages. */
const MIN_ROWS = 64;

export function planPages(rows: number, columns: number, texelBytes: number, limits: TextureLimits): PageLayout {
  const tilesAcross = Math.ceil(columns / limits.maxSize);
  const tileWidth = Math.ceil(columns / tilesAcross);
  const byMemory = Math.floor(limits.maxPageBytes / (texelBytes * tileWidth * tilesAcross));
  const byLayers = limits.maxSize * Math.floor(limits.maxLayers / tilesAcross);
  const maxRows = Math.min(rows, Math.max(MIN_ROWS, Math.min(byMemory, byLayers)));
  const tilesDown = Math.ceil(maxRows / limits.maxSize);
  const tileHeight = maxRows === rows ? Math.ceil(rows / tilesDown) : Math.floor(maxRows / tilesDown);
  const rowsPerPage = tileHeight * tilesDown;
  return {
    rows,
    columns,
    tileWidth,
    tileHeight,
    tilesAcross,
    tilesDown,
    rowsPerPage,
    pages: Math.ceil(rows / rowsPerPage),
  };
}

/** A rectangle of one tile. */
interface TilePiece {
  readonly page: number;
  readonly layer: number;
  /** Position in the tile. */
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  /** Position in the plane. */
  readonly row: number;
  readonly column: number;
}

/** Yields the pieces of tiles that contain the rows `from` to `end`. */
export function* tilePieces(layout: PageLayout, from: number, end: number): Generator<TilePiece> {
  const { tileWidth, tileHeight, tilesAcross, rowsPerPage, columns } = layout;
  for (let row = from; row < end; ) {
    const page = Math.floor(row / rowsPerPage);
    const inPage = row - page * rowsPerPage;
    const y = inPage % tileHeight;
    const height = Math.min(tileHeight - y, end - row);
    for (let tile = 0; tile < tilesAcross; tile++) {
      const column = tile * tileWidth;
      const width = Math.min(tileWidth, columns - column);
      yield { page, layer: Math.floor(inPage / tileHeight) * tilesAcross + tile, x: 0, y, width, height, row, column };
    }
    row += height;
  }
}
