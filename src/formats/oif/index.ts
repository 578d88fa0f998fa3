import { basename } from 'node:path';
import type { Acquisition, OpenInput, PlaneAddress, Reader } from '../../acquisition.js';
import { decodeFailed } from '../../errors.js';
import { LIMITS } from '../../io/limits.js';
import { channelsShown } from '../../metadata/colors.js';
import { namedPart } from '../../metadata/named-part.js';
import { type PlaneTarget, RowsTarget } from '../../samples/plane-target.js';
import { openTiff } from '../../tiff/parse.js';
import { readPageSample } from '../../tiff/read-page.js';
import { pageScratch } from '../../tiff/scratch.js';
import type { PageLayout, TiffFile } from '../../tiff/types.js';
import { channelDisplays } from './display.js';
import { type FileSet, missingFile, openFileSet, readIni } from './file-set.js';
import { frameStep, readFrameTimes } from './frame-times.js';
import { toScene } from './metadata.js';
import { parseMain, parsePlaneNames } from './parse.js';
import { type PlanePlan, planPlanes } from './plan.js';
import { openReference } from './reference.js';

/** Reads OIF and OIB: one scene, a plane per TIFF (or several TIFFs for a long line scan). */
export const reader: Reader = { open };

async function open(input: OpenInput): Promise<Acquisition> {
  const part = input.part === undefined ? undefined : basename(input.part);
  return openSet(openFileSet(input), formatOf(input), part);
}

/** An acquisition over the files of a set, wherever they lie; `part` is the one that was named. */
export function openSet(set: FileSet, format: string, part?: string): Acquisition {
  const raw = parseMain(set.main);
  const names = parsePlaneNames(set.names);
  if (names.every(({ reference }) => reference !== undefined)) throw missingFile(set, 'every plane file (s_C001….tif)');
  const plan = planPlanes(set.name, raw, names);
  const planes = new Planes(set, plan);
  const { layout, rows, file } = planes.first();
  const scene = toScene(raw, plan, layout, rows, readIni(set, file.replace(/\.tif$/i, '.pty')), set.main);
  if (plan.T > 1) scene.steps.T = frameStep(scene.steps.T, readFrameTimes(set, raw, plan), scene.warnings);
  const displays = channelDisplays(set, raw);
  // Every channel once per wavelength.
  scene.channels = channelsShown(
    scene.channels,
    scene.channels.map((_, i) => displays[Math.floor(i / plan.lambdas)]),
  );
  const reference = openReference(set, raw, names, displays, scene.warnings);
  scene.reference = reference?.info ?? null;
  const named = namedPart(part, set.name, [scene], (file) => {
    const place = plan.planeOfFile(file);
    return place && { scene: 0, ...place };
  });
  return {
    info: { format, scenes: [scene], ...named },
    ...(set.disk ? { files: () => set.disk?.files ?? [] } : {}),
    scratchBytes: () => pageScratch(layout),
    readPlane: (address, target, signal) => planes.read(address, target, signal),
    readReference: async (_scene, channel, target, signal) => {
      const place = reference?.pages[channel];
      if (!place) throw decodeFailed(`${set.name}: has no reference channel ${channel}`);
      await readPageSample(place.file, place.page, 0, target, signal);
    },
  };
}

/** By content: the bytes decide whether it is the compound form, whatever the name says. */
function formatOf(input: OpenInput): string {
  return input.probe.head[0] === 0xd0 ? 'oib' : 'oif';
}

/** Planes of a set. Opens a file when a plane of it is asked for, and holds every one to the shape of the first. */
class Planes {
  private readonly set: FileSet;
  private readonly plan: PlanePlan;
  private shape: { layout: PageLayout; rows: number } | undefined;

  constructor(set: FileSet, plan: PlanePlan) {
    this.set = set;
    this.plan = plan;
  }

  /** Layout and rows of the first plane that the set holds. */
  first(): { layout: PageLayout; rows: number; file: string } {
    for (let t = 0; t < this.plan.T; t++) {
      for (let c = 0; c < this.plan.channels; c++) {
        const files = this.plan.files(c, 0, t, 0);
        const parts = files.map((file) => this.openPart(file)).filter((part) => part !== undefined);
        const layout = parts[0]?.page(0).layout;
        if (!layout) continue;
        const rows = parts.reduce((sum, part) => sum + part.page(0).layout.height, 0);
        if (rows > LIMITS.planeSide)
          throw decodeFailed(`${this.set.name}: planes of ${rows} rows are beyond all reason`);
        this.shape = { layout, rows };
        return { layout, rows, file: files[0] as string };
      }
    }
    throw decodeFailed(
      `${this.set.name}: none of its plane files can be read; the recording was aborted or is damaged`,
    );
  }

  async read(address: PlaneAddress, target: PlaneTarget, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    const { lambdas } = this.plan;
    const place = [Math.floor(address.channel / lambdas), address.channel % lambdas, address.t, address.z] as const;
    const files = this.plan.files(...place);
    if (files.length === 0) {
      throw missingFile(this.set, `the file of plane ${this.plan.label(...place)}`);
    }
    let row = 0;
    for (const name of files) {
      const part = this.openPart(name);
      if (!part) throw decodeFailed(`${this.set.name}: ${name} is empty (0 bytes); the recording was aborted there`);
      const page = part.page(0);
      this.check(name, page.layout, row);
      await readPageSample(part, page, 0, new RowsTarget(target, row, page.layout.height), signal);
      row += page.layout.height;
    }
    if (row !== target.rows) {
      throw decodeFailed(
        `${this.set.name}: plane ${this.plan.label(...place)} has ${row} rows instead of ${target.rows}`,
      );
    }
  }

  private check(name: string, layout: PageLayout, row: number): void {
    const { layout: wanted, rows } = this.shape as { layout: PageLayout; rows: number };
    const fits =
      layout.width === wanted.width && layout.sampleType === wanted.sampleType && row + layout.height <= rows;
    if (!fits) {
      throw decodeFailed(
        `${this.set.name}: ${name} is ${layout.height}×${layout.width} ${layout.sampleType}, ` +
          `the first plane is ${rows}×${wanted.width} ${wanted.sampleType}`,
      );
    }
  }

  private openPart(name: string): TiffFile | undefined {
    const source = this.set.open(name);
    // Aborted recordings leave empty files behind.
    return source && source.size > 0 ? openTiff(source) : undefined;
  }
}
