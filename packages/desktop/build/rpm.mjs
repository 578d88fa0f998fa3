// The package for Fedora, openSUSE and others.
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { OUT } from './executable.mjs';
import { DESKTOP, makeTree, NAME, processor, sourceDate } from './linux.mjs';
import { run } from './run.mjs';

/** How RPM names the processors of Node. */
const ARCHITECTURES = { x64: 'x86_64', arm64: 'aarch64' };

/**
 * Makes an .rpm with the tree of a .deb. Two builds of a commit have the same bytes.
 * @param {import('./linux.mjs').Built} built
 * @returns {string} its path
 */
export function makeRpm(built) {
  const { target, version } = built;
  const architecture = ARCHITECTURES[/** @type {keyof typeof ARCHITECTURES} */ (processor(target))];
  const top = join(OUT, target, 'rpm');
  const tree = join(top, 'tree');
  rmSync(top, { recursive: true, force: true });
  mkdirSync(top, { recursive: true });
  makeTree(built, tree);
  const spec = join(top, `${NAME}.spec`);
  const text = readFileSync(join(DESKTOP, 'linux', `${NAME}.spec`), 'utf8')
    .replace('@VERSION@', version)
    .replace('@TREE@', tree)
    .replace('@FILES@', filesOf(tree).join('\n'));
  writeFileSync(spec, text);
  const settings = {
    _topdir: top,
    _rpmdir: join(top, 'out'),
    _buildhost: 'localhost',
    use_source_date_epoch_as_buildtime: '1',
    clamp_mtime_to_source_date_epoch: '1',
  };
  const defines = Object.entries(settings).flatMap(([name, value]) => ['--define', `${name} ${value}`]);
  const env = { ...process.env, SOURCE_DATE_EPOCH: sourceDate() };
  run(top, 'rpmbuild', ['-bb', '--quiet', '--target', architecture, ...defines, spec], env);
  const [rpm = ''] = readdirSync(join(top, 'out', architecture));
  const path = join(OUT, target, basename(rpm));
  copyFileSync(join(top, 'out', architecture, rpm), path);
  rmSync(top, { recursive: true });
  return path;
}

/**
 * Returns the lines of %files: the folder of the program and of its documents as wholes, and every other file, so that folders
 * of the system stay its own.
 * @param {string} tree
 */
function filesOf(tree) {
  const whole = [`/usr/lib/${NAME}`, `/usr/share/doc/${NAME}`];
  const files = readdirSync(join(tree, 'usr'), { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name).slice(tree.length))
    .filter((path) => !whole.some((folder) => path.startsWith(`${folder}/`)));
  return ['%defattr(-,root,root)', ...whole, ...files.sort()];
}
