/** The script for Fiji and what plain ImageJ makes of our exports, with ImageJ and Groovy of Debian. */
import { execFile } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { writeKitFiles } from '../../packages/conformance/src/index.js';
import { MAIN, REPOSITORY } from '../support/cli.js';
import { programPath } from '../support/desktop.js';
import { createServer, type RunningServer } from '../support/server.js';
import { tempFolder, writeTemp } from '../support/temp.js';

const IMAGEJ = '/usr/share/java/ij.jar';
const GROOVY = '/usr/share/java/groovy-all.jar';
const needed = [IMAGEJ, GROOVY, ...['java', 'xvfb-run'].map((name) => programPath(name) ?? name)];
const missing = needed.filter((path) => !existsSync(path));
if (missing.length > 0) console.warn(`NO IMAGEJ: its tests need ${missing.join(', ')} (Debian: imagej, groovy, xvfb)`);

const folder = tempFolder();
const { files } = writeKitFiles(folder);

async function run(program: string, args: string[], env: NodeJS.ProcessEnv = {}): Promise<string> {
  const { stdout } = await promisify(execFile)(program, args, { env: { ...process.env, ...env } });
  return stdout;
}

describe.skipIf(missing.length > 0)('the script for Fiji', () => {
  let server: RunningServer;
  beforeAll(async () => {
    server = await createServer({ port: 0, decodeWorkers: 1, stateDir: folder });
  });
  afterAll(() => server.close());

  /** Runs the script with ImageJ, and then code that uses `openAcquisition` and `image`. */
  function groovy(path: string, code: string): Promise<string> {
    const driver = `
      def binding = new Binding([acquisition: args[1]])
      def script = new GroovyShell(binding).parse(new File(args[0]))
      script.run()
      def image = binding.image
      def openAcquisition = script.&openAcquisition
      ${code}`;
    const script = join(REPOSITORY, 'examples/fiji/open_acquisition.groovy');
    const program = ['-Djava.awt.headless=true', '-cp', `${GROOVY}:${IMAGEJ}`, 'groovy.ui.GroovyMain'];
    const args = [...program, writeTemp(folder, 'driver.groovy', driver), script, path];
    return run('java', args, { ACQSTORE_URL: server.url });
  }

  const describeImage = `
    def c = image.calibration
    println([image.title, image.dimensions as List, c.pixelHeight, c.YUnit, c.pixelWidth, c.XUnit])
    println((1..image.stackSize).collect { image.stack.getProcessor(it).getf(1, 2) as int })
    println((1..image.stackSize).collect { image.stack.getSliceLabel(it) })`;

  it('opens channels with their names and micrometers', async () => {
    expect(await groovy(files.frame, describeImage)).toBe(
      '[frame.ome.tif, [5, 7, 2, 1, 1], 0.5, micron, 0.25, micron]\n[10201, 20201]\n[Calcium, Vessel]\n',
    );
  });

  it('opens the lines of a line scan in seconds', async () => {
    expect(await groovy(files.scan, describeImage)).toBe(
      '[scan.oif, [4, 6, 2, 1, 1], 0.002, sec, 0.25, micron]\n[301, 401]\n[CHS1, CHS2]\n',
    );
  });

  it('opens sections and time points, and runs the program of docs/fiji.md', async () => {
    const page = readFileSync(join(REPOSITORY, 'docs/fiji.md'), 'utf8');
    const [, program = ''] = /```groovy\n([\s\S]*?)```/.exec(page) ?? [];
    const own = program.replace('/data/stack.nd2', files.stack).replace('def image', 'image');
    const said = (await groovy(files.stack, `${describeImage}\n${own}`)).split('\n');
    expect(said.slice(0, 2)).toEqual([
      '[stack.ome.tif, [6, 4, 1, 3, 2], 1.0, pixel, 1.0, pixel]',
      '[1201, 2201, 3201, 4201, 5201, 6201]',
    ]);
    expect(said.slice(3)).toEqual(['1 channels, 3 sections, 2 time points', '1.0 pixel', '']);
  });

  it('says what the server says about a file that cannot be opened', async () => {
    await expect(groovy(files.text, '')).rejects.toThrow(/IOException: unsupported_format: notes\.txt/);
  });
});

describe.skipIf(missing.length > 0)('ImageJ without plug-ins', () => {
  /** Opens a file by the macro of the examples, which exports it, and prints what ImageJ has. */
  async function open(path: string, name: string, pixel = '1, 2'): Promise<string[]> {
    const command = writeTemp(folder, 'acqstore', `#!/bin/sh\nexec '${process.execPath}' '${MAIN}' "$@"\n`);
    chmodSync(command, 0o755);
    const macro = readFileSync(join(REPOSITORY, 'examples/fiji/export_and_open.ijm'), 'utf8');
    const code = `${macro.replace('program = "acqstore"', `program = "${command}"`)}
      getVoxelSize(width, height, depth, unit);
      print(getTitle(), getWidth(), getHeight(), nSlices, width, height, unit, bitDepth());
      for (i = 1; i <= nSlices; i++) { setSlice(i); print(getPixel(${pixel})); }`;
    const home = join(folder, `imagej-${name}`);
    mkdirSync(home);
    const java = ['java', `-Djava.io.tmpdir=${home}`, '-jar', IMAGEJ, '-ijpath', home];
    const said = await run('xvfb-run', ['-a', ...java, '-batch', writeTemp(folder, `${name}.ijm`, code), path]);
    return said.trim().split('\n');
  }

  it('opens an export with its samples and micrometers', async () => {
    expect(await open(files.frame, 'frame')).toEqual(['frame.imagej.tif 5 7 2 0.25 0.5 micron 16', '10201', '20201']);
  });

  it('opens all planes of a stack, in the order of the export', async () => {
    const planes = ['1201', '2201', '3201', '4201', '5201', '6201'];
    expect(await open(files.stack, 'stack')).toEqual(['stack.imagej.tif 6 4 6 1 1 pixels 16', ...planes]);
  });

  it('opens float samples', async () => {
    expect(await open(files.floats, 'floats', '1, 0')).toEqual(['floats.imagej.tif 3 2 1 1 1 pixels 32', '-1.5']);
  });
});
