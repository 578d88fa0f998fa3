/** ROIs and their pixels compared with ImageJ, where it is installed. */
import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { regionStats } from '../../../packages/viewer/src/analysis/region-stats.ts';
import { markRegion } from '../../../packages/viewer/src/measure/mark-region.ts';
import type { Mark } from '../../../packages/viewer/src/model/document.ts';
import { isArea } from '../../../packages/viewer/src/model/mark-kind.ts';
import { markRoi, roiMarks } from '../../../packages/viewer/src/rois/mark-rois.ts';
import { readRoi } from '../../../packages/viewer/src/rois/roi-format.ts';
import { IMAGEJ_JAR, IMAGEJ_MISSING } from '../../support/imagej.js';
import { tempFolder, writeTemp } from '../../support/temp.js';

/** Reads each ROI of a folder, measures it on an image, writes it again, and prints what it has. */
const PROGRAM = `
import ij.*; import ij.gui.*; import ij.io.*; import ij.process.*; import java.nio.file.*; import java.io.File;
public class Rois {
  public static void main(String[] args) throws Exception {
    FloatProcessor ramp = new FloatProcessor(64, 48);
    for (int y = 0; y < 48; y++) for (int x = 0; x < 64; x++) ramp.setf(x, y, (x * 7919 + y * 104729) % 1009);
    ImagePlus image = new ImagePlus("ramp", ramp);
    for (int i = 0; i < Integer.parseInt(args[1]); i++) {
      Roi roi = new RoiDecoder(args[0] + "/" + i + ".roi").getRoi();
      image.setRoi(roi);
      ImageStatistics s = image.getStatistics();
      System.out.println(roi.getTypeAsString() + "|" + roi.getName() + "|" + roi.getStrokeWidth() + "|" + roi.getCPosition()
        + "," + roi.getZPosition() + "," + roi.getTPosition() + "|" + s.pixelCount + "|" + s.mean + "|" + s.stdDev + "|" + s.min + "|" + s.max);
      RoiEncoder.save(roi, args[0] + "/" + i + ".back.roi");
    }
  }
}`;

/** Makes ROIs that have no tool here, and measures them. */
const MADE = `
import ij.*; import ij.gui.*; import ij.io.*; import ij.process.*;
public class Made {
  static ImagePlus image;
  public static void main(String[] args) throws Exception {
    FloatProcessor ramp = new FloatProcessor(64, 48);
    for (int y = 0; y < 48; y++) for (int x = 0; x < 64; x++) ramp.setf(x, y, (x * 7919 + y * 104729) % 1009);
    image = new ImagePlus("ramp", ramp);
    show(args[0], "ellipse", new EllipseRoi(10, 8, 50, 35, 0.4));
    show(args[0], "rotated", new RotatedRectRoi(10, 8, 50, 35, 12));
    show(args[0], "fine oval", new OvalRoi(3.25, 4.5, 30.5, 20.25));
    ByteProcessor disc = new ByteProcessor(64, 48);
    disc.setValue(255); disc.fill(new OvalRoi(5, 5, 31, 27)); disc.fill(new Roi(30, 10, 20, 9));
    Wand wand = new Wand(disc); wand.autoOutline(20, 18, 255, 255);
    show(args[0], "wand", new PolygonRoi(wand.xpoints, wand.ypoints, wand.npoints, Roi.TRACED_ROI));
    PolygonRoi curve = new PolygonRoi(new int[] {5, 30, 40}, new int[] {5, 9, 40}, 3, Roi.POLYGON); curve.fitSpline();
    show(args[0], "spline", curve);
    PointRoi points = new PointRoi(5, 6); points.addPoint(20, 40);
    show(args[0], "points", points);
  }
  static void show(String folder, String name, Roi roi) throws Exception {
    image.setRoi(roi);
    ImageStatistics s = image.getStatistics();
    System.out.println(name + "|" + s.pixelCount + "|" + s.mean);
    RoiEncoder.save(roi, folder + "/" + name + ".roi");
  }
}`;

const SHAPE = [48, 64] as const;
const RAMP = Float32Array.from({ length: 48 * 64 }, (_, i) => ((i % 64) * 7919 + Math.floor(i / 64) * 104_729) % 1009);

const at = (row: number, column: number) => ({ row, column });

/** Marks of each kind, and polygons of all sorts. */
function examples(): Mark[] {
  const simple: Omit<Mark, 'id'>[] = [
    { kind: 'region', from: at(2.3, 4.4), to: at(12.6, 20.1), name: 'Zellé µ', plane: { c: 2, z: 3, t: 4 } },
    { kind: 'line', from: at(2.5, 3.5), to: at(22.75, 31.25), width: 5 },
    { kind: 'polyline', from: at(2.5, 3.5), via: [at(10.5, 3.5)], to: at(22.75, 31.25) },
    { kind: 'freeline', from: at(2.5, 3.5), via: [at(10.5, 3.5)], to: at(22.75, 31.25) },
    { kind: 'point', from: at(7.5, 9.5), to: at(7.5, 9.5) },
  ];
  let seed = 7;
  const next = (max: number) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return (seed / 2_147_483_648) * max;
  };
  for (let i = 0; i < 40; i++) {
    const step = [1, 2, 4, 1024][i % 4]!;
    const point = () => at(Math.round(next(48) * step) / step, Math.round(next(64) * step) / step);
    simple.push({ kind: 'ellipse', from: at(next(20), next(20)), to: at(21 + next(20), 21 + next(20)) });
    const via = Array.from({ length: 1 + (i % 9) }, point);
    simple.push({ kind: i % 2 === 0 ? 'polygon' : 'freehand', from: point(), via, to: point() });
  }
  return simple.map((mark, i) => ({ ...mark, id: String(i + 1) }));
}

describe.runIf(IMAGEJ_MISSING === undefined)('ROIs in ImageJ', () => {
  it('have the same type, name, position, width and statistics, and come back as they were', {
    timeout: 120_000,
  }, async () => {
    const marks = examples();
    const folder = tempFolder();
    mkdirSync(folder, { recursive: true });
    for (const [i, mark] of marks.entries()) writeFileSync(join(folder, `${i}.roi`), markRoi(mark));
    const program = writeTemp(folder, 'Rois.java', PROGRAM);
    const args = ['-Djava.awt.headless=true', '-cp', String(IMAGEJ_JAR), program, folder, String(marks.length)];
    const { stdout } = await promisify(execFile)('java', args);
    const lines = stdout
      .trim()
      .split('\n')
      .map((line) => line.split('|'));
    expect(lines.slice(0, 5).map(([type]) => type)).toEqual([
      'Rectangle',
      'Straight Line',
      'Polyline',
      'Freeline',
      'Point',
    ]);
    expect(lines[0]!.slice(1, 4)).toEqual(['Zellé µ', '0.0', '2,3,4']);
    expect(lines[1]![2]).toBe('5.0');
    for (const [i, mark] of marks.entries()) {
      const [original, back] = ['roi', 'back.roi'].map(
        (ending) => roiMarks(readRoi(readFileSync(join(folder, `${i}.${ending}`))), {}).marks,
      );
      expect(back).toEqual(original);
      if (!isArea(mark.kind)) continue;
      const stats = await regionStats(RAMP, SHAPE, markRegion(mark, SHAPE));
      const [n, mean, sd, min, max] = lines[i]!.slice(4).map(Number) as [number, number, number, number, number];
      expect([stats.n, stats.min, stats.max], JSON.stringify(mark)).toEqual([n, min, max]);
      expect(stats.mean).toBeCloseTo(mean, 6);
      expect(stats.sd).toBeCloseTo(sd, 6);
    }
  });

  it('made there contain the same pixels here', { timeout: 120_000 }, async () => {
    const folder = tempFolder();
    mkdirSync(folder, { recursive: true });
    const program = writeTemp(folder, 'Made.java', MADE);
    const { stdout } = await promisify(execFile)('java', [
      '-Djava.awt.headless=true',
      '-cp',
      String(IMAGEJ_JAR),
      program,
      folder,
    ]);
    const lines = stdout
      .trim()
      .split('\n')
      .map((line) => line.split('|'));
    expect(lines.map(([name]) => name)).toEqual(['ellipse', 'rotated', 'fine oval', 'wand', 'spline', 'points']);
    for (const [name = '', n, mean] of lines) {
      const { marks, change } = roiMarks(readRoi(readFileSync(join(folder, `${name}.roi`))), {});
      if (name === 'spline') {
        expect(change).toBe('straight pieces instead of a curve');
        continue;
      }
      if (name === 'points') {
        expect(marks.map(({ from }) => [Math.floor(from.column), Math.floor(from.row)])).toEqual([
          [5, 6],
          [20, 40],
        ]);
        continue;
      }
      expect(change).toBe('');
      const stats = await regionStats(RAMP, SHAPE, markRegion({ ...marks[0]!, id: '1' }, SHAPE));
      expect([name, stats.n]).toEqual([name, Number(n)]);
      expect(stats.mean).toBeCloseTo(Number(mean), 6);
    }
  });
});
