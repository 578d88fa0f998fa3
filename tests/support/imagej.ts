/** Opens files with ImageJ: `net.imagej:ij` of Maven Central, or Debian's. */
import { execFile } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { programPath } from './desktop.js';
import { writeTemp } from './temp.js';

const MAVEN = join(homedir(), '.m2/repository/net/imagej/ij');
const versions = existsSync(MAVEN) ? readdirSync(MAVEN).sort().reverse() : [];
export const IMAGEJ_JAR = [
  process.env['IMAGEJ_JAR'] ?? '',
  ...versions.map((version) => join(MAVEN, version, `ij-${version}.jar`)),
  '/usr/share/java/ij.jar',
].find(existsSync);

/** What ImageJ needs and is not there. */
export const IMAGEJ_MISSING = [
  ...['java', 'javac'].filter((name) => !programPath(name)),
  ...(IMAGEJ_JAR === undefined ? ['ij.jar (mvn dependency:get -Dartifact=net.imagej:ij:1.54f, or IMAGEJ_JAR)'] : []),
].at(0);
if (IMAGEJ_MISSING !== undefined) console.warn(`NO IMAGEJ: its tests of exports need ${IMAGEJ_MISSING}`);

const PROGRAM = `
import ij.*; import ij.io.Opener; import ij.measure.Calibration; import ij.process.*;
public class Show {
  public static void main(String[] args) {
    for (String path : args) { show(new Opener().openImage(path)); System.out.println("--"); }
  }
  static void show(ImagePlus image) {
    Calibration c = image.getCalibration();
    boolean many = image instanceof CompositeImage;
    System.out.println(image.getClass().getSimpleName() + " " + image.getBitDepth() + " bits "
      + java.util.Arrays.toString(image.getDimensions()) + (many ? " " + ((CompositeImage) image).getModeAsString() : ""));
    System.out.println(c.pixelWidth + " " + c.getXUnit() + " " + c.pixelHeight + " " + c.getYUnit() + " "
      + c.pixelDepth + " " + c.getZUnit() + " every " + c.frameInterval + " " + c.getTimeUnit());
    LUT[] luts = image.getBitDepth() == 24 ? new LUT[0] : image.getLuts();
    for (LUT lut : luts) System.out.println("lut " + lut.getRed(255) + "," + lut.getGreen(255) + "," + lut.getBlue(255));
    for (int i = 1; i <= image.getStackSize(); i++)
      System.out.println(image.getStack().getSliceLabel(i) + " " + c.getCValue(image.getStack().getProcessor(i).getf(0, 0)));
  }
}`;

/** Returns lines that describe each file as ImageJ has it: type and sizes, calibration, tables, labels with a sample. */
export async function runImageJ(folder: string, paths: readonly string[]): Promise<string[][]> {
  const program = writeTemp(folder, 'Show.java', PROGRAM);
  const args = ['-Djava.awt.headless=true', '-cp', String(IMAGEJ_JAR), program, ...paths];
  const { stdout } = await promisify(execFile)('java', args);
  return stdout.split('--\n').map((text) => text.trim().split('\n'));
}
