/** The application for macOS: its structure, and its script with the Node of this computer. It was never run on macOS. */
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { buildDesktop } from '../../../packages/desktop/build/build.mjs';
import { fetchNode } from '../../../packages/desktop/build/nodes.mjs';
import { buildPackages } from '../../../packages/desktop/build/packages.mjs';
import { packageVersion } from '../../../packages/server/src/package-files.js';
import { describeWithPrograms } from '../../support/desktop.js';
import { tempFolder } from '../../support/temp.js';
import { TARGET, whyNotBuilt } from './built.js';

const problem = whyNotBuilt('darwin-arm64') ?? whyNotBuilt('darwin-x64') ?? whyNotBuilt();
if (problem !== undefined) console.warn(problem);
const programs = problem === undefined ? ['rsvg-convert', 'zip', 'unzip', 'python3'] : ['Node for macOS'];
/** Types of processors in a Mach-O header. */
const PROCESSORS = { 'darwin-x64': 0x01000007, 'darwin-arm64': 0x0100000c };
const MAGIC = 0xfeedfacf;
const LC_CODE_SIGNATURE = 0x1d;

describeWithPrograms('the application for macOS', programs, () => {
  it.each(Object.entries(PROCESSORS))(
    '%s has the signed Node as it is, and what the system asks for',
    async (target, processor) => {
      const { folder, contents } = await unpack(target);
      const node = readFileSync(join(contents, 'Resources/node'));
      expect(node.equals(readFileSync(fetchNode(target)))).toBe(true);
      expect([node.readUInt32LE(0), node.readUInt32LE(4)]).toEqual([MAGIC, processor]);
      expect(loadCommands(node)).toContain(LC_CODE_SIGNATURE);
      const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
      expect(entries.filter((entry) => !entry.isFile() && !entry.isDirectory())).toEqual([]);
      const executables = entries
        .filter((entry) => entry.isFile() && (statSync(join(entry.parentPath, entry.name)).mode & 0o111) !== 0)
        .map((entry) => entry.name);
      expect(executables.sort()).toEqual(['acqstore', 'node']);
      const icon = readFileSync(join(contents, 'Resources/icon.icns'));
      expect([icon.toString('latin1', 0, 4), icon.readUInt32BE(4)]).toEqual(['icns', icon.length]);
      const script = "import json,plistlib,sys; print(json.dumps(plistlib.load(open(sys.argv[1],'rb'))))";
      const plist = spawnSync('python3', ['-c', script, join(contents, 'Info.plist')], { encoding: 'utf8' });
      const values = JSON.parse(plist.stdout) as { CFBundleDocumentTypes: { CFBundleTypeExtensions: string[] }[] };
      expect(values).toMatchObject({ CFBundleExecutable: 'acqstore', CFBundleShortVersionString: packageVersion() });
      expect(values.CFBundleDocumentTypes.flatMap((type) => type.CFBundleTypeExtensions)).toContain('oir');
      const bill = JSON.parse(readFileSync(join(contents, 'Resources/doc/sbom.cdx.json'), 'utf8')) as object;
      expect(bill).toMatchObject({ bomFormat: 'CycloneDX' });
    },
  );

  it('runs with the Node of this computer in the place of its own', async () => {
    const { contents } = await unpack('darwin-arm64');
    copyFileSync(fetchNode(TARGET), join(contents, 'Resources/node'));
    const run = (...args: string[]) => spawnSync(join(contents, 'MacOS/acqstore'), args, { encoding: 'utf8' });
    expect(run('-psn_0_1', '--version').stdout.trim()).toBe(packageVersion());
    const sample = join(contents, 'Resources/warm-up/zstd.czi');
    expect(JSON.parse(run('inspect', '--json', sample).stdout)).toMatchObject({ ok: true, source: { format: 'czi' } });
  });

  it('has the same bytes when it is built again', async () => {
    const [first] = await buildPackages('darwin-arm64', ['zip']);
    const before = readFileSync(first!);
    rmSync(first!);
    await buildPackages('darwin-arm64', ['zip']);
    expect(readFileSync(first!).equals(before)).toBe(true);
  });

  beforeAll(() => buildDesktop());
});

const zips = new Map<string, string>();
const parent = tempFolder();

/** Unpacks a fresh copy of the application. */
async function unpack(target: string): Promise<{ folder: string; contents: string }> {
  if (!zips.has(target)) zips.set(target, (await buildPackages(target, ['zip']))[0]!);
  const folder = join(parent, target);
  if (existsSync(folder)) rmSync(folder, { recursive: true });
  expect(spawnSync('unzip', ['-q', zips.get(target)!, '-d', folder]).status).toBe(0);
  return { folder, contents: join(folder, 'Acquisition Store.app/Contents') };
}

function loadCommands(macho: Buffer): number[] {
  const commands: number[] = [];
  for (let i = 0, at = 32; i < macho.readUInt32LE(16); i++, at += macho.readUInt32LE(at + 4)) {
    commands.push(macho.readUInt32LE(at));
  }
  return commands;
}
