/** What of a scene no subblock holds. It reads as 0, which only a warning can tell from a measured 0. */
import type { SceneInfo } from '../../acquisition.js';
import type { CziScene } from './arrange.js';
import type { BlockTable } from './blocks.js';
import { planPlane } from './plan.js';

/** Cells (planes, or lines of line scans) that are looked at one by one; a check beyond that costs too much. */
const MAX_CELLS = 2 ** 23;
/** Tiles of a plane whose union is worked out. */
const MAX_TILES = 1_000;
/** Missing channels and scenes that are listed one by one. */
const MAX_LISTED = 8;

export function coverageWarnings(table: BlockTable, scene: CziScene, info: SceneInfo): string[] {
  return [...missingBefore(scene), ...missingCells(table, scene, info), ...missingArea(table, scene)];
}

/** Coordinates count from 0: a scene that begins later has lost what comes before, or was exported without it. */
function missingBefore({ origin, channels, rowAxis }: CziScene): string[] {
  const leading: [number, string][] = [
    [origin.T, rowAxis === 'T' ? 'lines (T)' : 'time points (T)'],
    [origin.Z, rowAxis === 'Z' ? 'lines (Z)' : 'sections (Z)'],
  ];
  const absent = absentBelow(
    channels.at(-1)?.c ?? 0,
    channels.map(({ c }) => c),
  );
  return [
    ...leading.flatMap(([count, what]) =>
      count > 0 ? [`The file lacks the first ${count} ${what} of the recording.`] : [],
    ),
    ...(absent.length > 0 ? [`The file lacks the channels ${listed(absent)} of the recording.`] : []),
  ];
}

/** Scenes of the recording that no subblock belongs to. */
export function missingScenes(scenes: readonly CziScene[]): string[] {
  const indices = scenes.map(({ s }) => s ?? 0);
  const absent = absentBelow(Math.max(...indices), indices);
  return absent.length > 0 ? [`The file lacks the scenes ${listed(absent)} of the recording.`] : [];
}

/** Numbers from 0 that are not among `present`; one more than are listed is enough, as a damaged number may be huge. */
function absentBelow(end: number, present: readonly number[]): number[] {
  const known = new Set(present);
  const absent: number[] = [];
  for (let n = 0; n < end && absent.length <= MAX_LISTED; n++) if (!known.has(n)) absent.push(n);
  return absent;
}

/** Numbers from 1. */
function listed(indices: readonly number[]): string {
  const shown = indices.slice(0, MAX_LISTED).map((index) => index + 1);
  return [...shown, ...(indices.length > MAX_LISTED ? ['…'] : [])].join(', ');
}

/** Planes without any subblock; of a line scan, lines. */
function missingCells(table: BlockTable, scene: CziScene, info: SceneInfo): string[] {
  const { extent, origin, channels } = scene;
  const cells = channels.length * extent.T * extent.Z;
  if (cells > MAX_CELLS) return [];
  const place = new Map(channels.map(({ c }, i) => [c, i]));
  const seen = new Uint8Array(cells);
  let work = 0;
  for (const block of scene.blocks) {
    const { size } = table.shape(block);
    work += size.C * size.T * size.Z;
    if (work > MAX_CELLS) return [];
    const [c0, t0, z0] = [
      table.start(block, 'C'),
      table.start(block, 'T') - origin.T,
      table.start(block, 'Z') - origin.Z,
    ];
    for (let c = c0; c < c0 + size.C; c++) {
      for (let z = z0; z < z0 + size.Z; z++) {
        const row = ((place.get(c) as number) * extent.Z + z) * extent.T;
        seen.fill(1, row + t0, row + t0 + size.T);
      }
    }
  }
  const missing = seen.reduce((count, one) => count + (one === 0 ? 1 : 0), 0);
  if (missing === 0) return [];
  const what = scene.rowAxis === 'Y' ? 'planes' : 'lines';
  const first = firstMissing(scene, info, seen.indexOf(0));
  return [`${missing} of ${cells} ${what} are not in the file and read as 0; the first one is ${first}.`];
}

function firstMissing({ extent, channels }: CziScene, info: SceneInfo, cell: number): string {
  const t = cell % extent.T;
  const z = Math.floor(cell / extent.T) % extent.Z;
  const c = Math.floor(cell / extent.T / extent.Z);
  const samples = channels.slice(0, c).reduce((sum, { type }) => sum + type.samples, 0);
  return `T = ${t}, Z = ${z} of channel "${info.channels[samples]?.name ?? c}"`;
}

/** Part of the plane between and around tiles, seen in the first plane that has any. */
function missingArea(table: BlockTable, scene: CziScene): string[] {
  const first = scene.blocks[0];
  if (scene.rowAxis !== 'Y' || first === undefined) return [];
  const t = table.start(first, 'T') - scene.origin.T;
  const z = table.start(first, 'Z') - scene.origin.Z;
  const { pieces, covered } = planPlane(table, scene, table.start(first, 'C'), t, z);
  if (covered) return [];
  const whole = scene.rows * scene.columns;
  const area = pieces.length <= MAX_TILES ? unionArea(pieces) : pieces.reduce((sum, p) => sum + p.rows * p.columns, 0);
  if (area >= whole) return [];
  return [`The tiles cover ${((100 * area) / whole).toFixed(1)} % of the plane; what lies between them reads as 0.`];
}

interface Rectangle {
  row: number;
  column: number;
  rows: number;
  columns: number;
}

/** Area that rectangles cover together: strips between all their edges. */
function unionArea(tiles: readonly Rectangle[]): number {
  const edges = [...new Set(tiles.flatMap(({ row, rows }) => [row, row + rows]))].sort((a, b) => a - b);
  const byColumn = [...tiles].sort((a, b) => a.column - b.column);
  let area = 0;
  for (let i = 0; i + 1 < edges.length; i++) {
    const [top, bottom] = [edges[i] as number, edges[i + 1] as number];
    let end = Number.NEGATIVE_INFINITY;
    let width = 0;
    for (const { row, rows, column, columns } of byColumn) {
      if (row > top || row + rows < bottom) continue;
      width += Math.max(0, column + columns - Math.max(end, column));
      end = Math.max(end, column + columns);
    }
    area += width * (bottom - top);
  }
  return area;
}
