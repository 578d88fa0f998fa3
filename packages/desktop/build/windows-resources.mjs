// Icon, version and the application itself as resources of programs for Windows.
import { readFileSync, writeFileSync } from 'node:fs';
import { Data, NtExecutable, NtExecutableResource, Resource } from 'resedit';
import { makeIco } from './icons.mjs';
import { BLOB, FUSE } from './sea.mjs';

const ENGLISH = 1033;
const UNICODE = 1200;
const RCDATA = 10;
const VERSION_TYPE = 16;
/** Number of the icon in a program that has none yet. */
const ICON = 1;

/**
 * Makes the executable: Node with the application, an icon and a version. The signature of Node ends with that.
 * @param {string} node
 * @param {string} blob
 * @param {string} path
 * @param {string} version
 * @returns {string} the path
 */
export function packWindowsExecutable(node, blob, path, version) {
  const data = readFileSync(blob);
  const bytes = data.buffer.slice(data.byteOffset, data.byteOffset + data.length);
  const resource = { type: RCDATA, id: BLOB, lang: ENGLISH, codepage: 0, bin: bytes };
  const program = readFileSync(node);
  const fuse = Buffer.from(`${FUSE}:0`);
  const at = program.indexOf(fuse);
  if (at < 0 || program.includes(fuse, at + 1)) {
    throw new Error(`${node}: expected exactly one fuse for a single executable application`);
  }
  program.write('1', at + fuse.length - 1, 'latin1');
  writeFileSync(path, withResources(program, describe('acqstore.exe', version), [resource]));
  return path;
}

/**
 * Gives a program the icon and the version of the application, in place.
 * @param {string} path
 * @param {string} name of the file
 * @param {string} version
 */
export function brandWindowsProgram(path, name, version) {
  writeFileSync(path, withResources(readFileSync(path), describe(name, version), []));
}

/**
 * @param {Buffer} program
 * @param {Resource.VersionInfo} description
 * @param {NtExecutableResource['entries']} resources
 */
function withResources(program, description, resources) {
  const executable = NtExecutable.from(program, { ignoreCert: true });
  const all = NtExecutableResource.from(executable);
  const entries = all.entries.filter(({ type }) => type !== VERSION_TYPE);
  const { icons } = Data.IconFile.from(makeIco());
  const [group] = Resource.IconGroupEntry.fromEntries(entries);
  Resource.IconGroupEntry.replaceIconsForResource(
    entries,
    group?.id ?? ICON,
    ENGLISH,
    icons.map(({ data }) => data),
  );
  description.outputToResourceEntries(entries);
  all.entries = [...entries, ...resources];
  all.outputResource(executable);
  return Buffer.from(executable.generate());
}

/**
 * @param {string} file
 * @param {string} version
 */
function describe(file, version) {
  const info = Resource.VersionInfo.createEmpty();
  info.lang = ENGLISH;
  const [major = 0, minor = 0, patch = 0] = version.split(/[.-]/).map(Number);
  info.setFileVersion(major, minor, patch, 0, ENGLISH);
  info.setProductVersion(major, minor, patch, 0, ENGLISH);
  const values = {
    ProductName: 'Acquisition Store',
    FileDescription: 'Acquisition Store',
    CompanyName: 'The Acquisition Store authors',
    LegalCopyright: 'MIT license; licenses of all parts in doc\\licenses.txt',
    OriginalFilename: file,
    InternalName: file.replace(/\.exe$/, ''),
    FileVersion: version,
    ProductVersion: version,
  };
  info.setStringValues({ lang: ENGLISH, codepage: UNICODE }, values);
  return info;
}
