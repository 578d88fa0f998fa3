/** Finds the parts of a scene that no subblock covers. They read as 0, and only a warning tells that from a measured 0. */

import { asCorrupted } from '../../base/warning-kinds.js';
import { grouped, plural } from '../../base/wording.js';
import type { SceneInfo } from '../../model/acquisition.js';
import type { Rectangle } from '../../model/samples/plane-target.js';
import type { CziScene } from './arrange.js';
import type { SubblockTable } from './blocks.js';
import type { PlanePlanner } from './plan.js';

/** Cells (planes, or lines of line scans) that are checked one by one; beyond that, the check takes too long. */
const MAX_CELLS = 2 ** 23;
/** Tiles of a plane whose union is computed. */
const MAX_TILES = 1_000;
/** Missing channels and scenes that are listed one by one. */
const MAX_LISTED = 8;

/** Returns a warning for each kind of gap in a scene. */
export function coverageWarnings(planner: PlanePlanner, scene: CziScene, info: SceneInfo): string[] {
  return [...missingStart(scene), ...missingCells(planner.table, scene, info), ...missingArea(planner, scene)];
}

/** Coordinates start at 0: a scene that starts later is missing its beginning, or was exported without it. */
function missingStart({ origin, channels, rowAxis }: CziScene): string[] {
  const leading: [number, string][] = [
    [origin.T, rowAxis === 'T' ? 'line' : 'time point'],
    [origin.Z, rowAxis === 'Z' ? 'line' : 'section'],
  ];
  const absent = absentBelow(
    channels.at(-1)?.c ?? 0,
    channels.map(({ c }) => c),
  );
  return [
    ...leading.flatMap(([count, what]) => {
      if (count <= 0) return [];
      const first = count === 1 ? `${what} of the recording is` : `${plural(count, what)} of the recording are`;
      return [asCorrupted(`The first ${first} missing.`)];
    }),
    ...describeAbsent('channel', absent),
  ];
}

/** Returns a warning when scenes have no subblock. */
export function missingScenes(scenes: readonly CziScene[]): string[] {
  const indices = scenes.map(({ s }) => s ?? 0);
  const absent = absentBelow(Math.max(...indices), indices);
  return describeAbsent('scene', absent);
}

/**
 * Returns the numbers below `end` that are not in `present`, but only one more than are listed: a corrupted number may be
 * huge.
 */
function absentBelow(end: number, present: readonly number[]): number[] {
  const known = new Set(present);
  const absent: number[] = [];
  for (let n = 0; n < end && absent.length <= MAX_LISTED; n++) if (!known.has(n)) absent.push(n);
  return absent;
}

/** Returns a warning that lists indices as numbers from 1. */
function describeAbsent(what: 'channel' | 'scene', indices: readonly number[]): string[] {
  if (indices.length === 0) return [];
  const [first = 0] = indices;
  if (indices.length === 1) return [asCorrupted(`The ${what} ${first + 1} of the recording is missing.`)];
  const shown = indices.slice(0, MAX_LISTED).map((index) => index + 1);
  const list = [...shown, ...(indices.length > MAX_LISTED ? ['…'] : [])].join(', ');
  return [asCorrupted(`The ${what}s ${list} of the recording are missing.`)];
}

/** Returns a warning when planes, or lines of a line scan, have no subblock. */
function missingCells(table: SubblockTable, scene: CziScene, info: SceneInfo): string[] {
  const { extent, origin, channels } = scene;
  const cells = channels.length * extent.T * extent.Z;
  if (cells > MAX_CELLS) return [];
  const channelIndices = new Map(channels.map(({ c }, i) => [c, i]));
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
        const row = (channelIndices.get(c)! * extent.Z + z) * extent.T;
        seen.fill(1, row + t0, row + t0 + size.T);
      }
    }
  }
  const missing = seen.reduce((count, isSeen) => count + (isSeen === 0 ? 1 : 0), 0);
  if (missing === 0) return [];
  const what = scene.rowAxis === 'Y' ? 'plane' : 'line';
  const first = describeCell(scene, info, seen.indexOf(0));
  const are = missing === 1 ? 'is' : 'are';
  return [
    asCorrupted(
      `${grouped(missing)} of ${plural(cells, what)} ${are} missing from the file and shown as 0. The first is ${first}.`,
    ),
  ];
}

function describeCell({ extent, channels }: CziScene, info: SceneInfo, cell: number): string {
  const t = cell % extent.T;
  const z = Math.floor(cell / extent.T) % extent.Z;
  const c = Math.floor(cell / extent.T / extent.Z);
  const samples = channels.slice(0, c).reduce((sum, { type }) => sum + type.samples, 0);
  return `T = ${t}, Z = ${z} of channel "${info.channels[samples]?.name ?? c}"`;
}

/** Returns a warning when the tiles of the first plane do not cover it. */
function missingArea(planner: PlanePlanner, scene: CziScene): string[] {
  const { table } = planner;
  const first = scene.blocks[0];
  if (scene.rowAxis !== 'Y' || first === undefined) return [];
  const t = table.start(first, 'T') - scene.origin.T;
  const z = table.start(first, 'Z') - scene.origin.Z;
  const { pieces, covered } = planner.plan(scene, { c: table.start(first, 'C'), t, z });
  if (covered) return [];
  const whole = scene.rows * scene.columns;
  const area = pieces.length <= MAX_TILES ? unionArea(pieces) : pieces.reduce((sum, p) => sum + p.rows * p.columns, 0);
  if (area >= whole) return [];
  return [`The tiles cover ${((100 * area) / whole).toFixed(1)} % of the plane. The rest is shown as 0.`];
}

/** Returns the area that rectangles cover together, added up in strips between their edges. */
function unionArea(tiles: readonly Rectangle[]): number {
  const edges = [...new Set(tiles.flatMap(({ row, rows }) => [row, row + rows]))].sort((a, b) => a - b);
  const byColumn = [...tiles].sort((a, b) => a.column - b.column);
  let area = 0;
  for (let i = 0; i + 1 < edges.length; i++) {
    const [top, bottom] = [edges[i]!, edges[i + 1]!];
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
