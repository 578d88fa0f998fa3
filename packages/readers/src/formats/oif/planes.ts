import { decodeFailed } from '../../base/errors.js';
import { grouped } from '../../base/wording.js';
import type { PlaneAddress } from '../../model/acquisition.js';
import { type PlaneTarget, RowsTarget } from '../../model/samples/plane-target.js';
import { openTiff } from '../../tiff/parse.js';
import { readPageSample } from '../../tiff/read-page.js';
import type { PageLayout, TiffFile } from '../../tiff/types.js';
import type { FluoViewSet } from './fluoview-set.js';
import type { FilePlan } from './plan.js';

/** Shape of every plane of a set. */
export interface PlaneShape {
  /** Of the file that starts the first plane. */
  layout: PageLayout;
  /** Of all files of a plane together. */
  rows: number;
}

/** Reads the planes of a set. Opens a file when its plane is requested, and checks each against the first plane. */
export class PlaneFiles {
  readonly shape: PlaneShape;
  /** Name of the TIFF that starts the first plane. */
  readonly firstFile: string;
  /** Channel of that plane. */
  readonly firstChannel: number;
  private readonly set: FluoViewSet;
  private readonly plan: FilePlan;

  /** @throws AcqError `decode_failed` when no plane can be read */
  constructor(set: FluoViewSet, plan: FilePlan) {
    this.set = set;
    this.plan = plan;
    const { shape, file, channel } = findFirstPlane(set, plan);
    this.shape = shape;
    this.firstFile = file;
    this.firstChannel = channel;
  }

  /** @throws AcqError `decode_failed`, `companion_missing` */
  async read(address: PlaneAddress, target: PlaneTarget, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    const { set, plan } = this;
    const { lambdas } = plan;
    const place = [Math.floor(address.channel / lambdas), address.channel % lambdas, address.t, address.z] as const;
    const files = plan.files(...place);
    if (files.length === 0) throw set.missing(`the file of plane ${plan.label(...place)}`);
    let row = 0;
    for (const name of files) {
      const tiff = openNonEmpty(set, name);
      if (!tiff) throw decodeFailed(`${name} is empty; the recording was interrupted there`);
      const page = tiff.page(0);
      this.check(page.layout, row, name);
      await readPageSample(tiff, page, 0, new RowsTarget(target, row, page.layout.height), signal);
      row += page.layout.height;
    }
    if (row !== target.rows) {
      throw decodeFailed(`plane ${plan.label(...place)} has ${grouped(row)} rows; expected ${grouped(target.rows)}`);
    }
  }

  private check({ width, height, sampleType }: PageLayout, row: number, name: string): void {
    const { layout, rows } = this.shape;
    if (width === layout.width && sampleType === layout.sampleType && row + height <= rows) return;
    throw decodeFailed(
      `${name} has ${grouped(height)} × ${grouped(width)} ${sampleType} samples, which does not match the first plane ` +
        `(${grouped(rows)} × ${grouped(layout.width)} ${layout.sampleType})`,
    );
  }
}

function findFirstPlane(set: FluoViewSet, plan: FilePlan): { shape: PlaneShape; file: string; channel: number } {
  for (let t = 0; t < plan.T; t++) {
    for (let c = 0; c < plan.channels; c++) {
      const files = plan.files(c, 0, t, 0);
      const layouts = files.flatMap((file) => openNonEmpty(set, file)?.page(0).layout ?? []);
      const [layout] = layouts;
      if (!layout) continue;
      const rows = layouts.reduce((sum, { height }) => sum + height, 0);
      return { shape: { layout, rows }, file: files[0]!, channel: c };
    }
  }
  throw decodeFailed('none of the plane files can be read; the recording was interrupted or the files are corrupted');
}

/** Opens a TIFF; `undefined` when it is missing, or empty as interrupted recordings leave them. */
function openNonEmpty(set: FluoViewSet, name: string): TiffFile | undefined {
  const source = set.open(name);
  return source && source.size > 0 ? openTiff(source) : undefined;
}
