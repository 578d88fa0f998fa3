// The package for administrators of Windows, by wixl: it installs for all users of a computer.
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { sign } from './archive.mjs';
import { documentTypes } from './documents.mjs';
import { makeIco } from './icons.mjs';
import { sourceDate } from './linux.mjs';
import { run } from './run.mjs';
import { LAUNCHER, packagePath, SIGN, windowsFolder } from './windows.mjs';

const NAME = 'Acquisition Store';
const AUTHORS = 'The Acquisition Store authors';
const ICON = 'icon.ico';
/** Name of a link to the folder with the files. */
const FILES = 'files';
/** Never changes: a new version finds the old one by it, and replaces it. */
const UPGRADE_CODE = 'B1A3A6D5-8B0E-4A53-9C50-0D9EF54F7C11';
/** Windows finds the properties of a package by this id, and counts time in 100 ns since 1601. */
const SUMMARY = Buffer.from('e0859ff2f94f6810ab9108002b27b3d9', 'hex');
const PROPERTIES = { id: 9, created: 12, saved: 13 };
const SECONDS_TO_1970 = 11_644_473_600n;

/**
 * Makes an .msi. Two builds of a commit have the same bytes.
 * @param {import('./linux.mjs').Built} built
 * @returns {string} its path
 */
export function makeMsi(built) {
  const { folder, files } = windowsFolder(built);
  const content = hashOf(folder, files, built.version);
  const path = packagePath(built, '.msi');
  const draft = mkdtempSync(join(tmpdir(), 'acqstore-msi-'));
  try {
    writeFileSync(join(draft, ICON), makeIco());
    // wixl reads files by relative paths only.
    symlinkSync(folder, join(draft, FILES));
    writeFileSync(join(draft, 'app.wxs'), describePackage(built.version, content, files));
    run(draft, 'wixl', ['--arch', 'x64', '--output', path, 'app.wxs']);
  } finally {
    rmSync(draft, { recursive: true });
  }
  writeFileSync(path, withSummary(readFileSync(path), guid(`package ${content}`)));
  sign(SIGN, path);
  return path;
}

/**
 * @param {string} folder
 * @param {readonly string[]} files
 * @param {string} version
 */
function hashOf(folder, files, version) {
  const hash = createHash('sha256').update(version);
  for (const file of files) hash.update(file).update(readFileSync(join(folder, file)));
  return hash.digest('hex');
}

/**
 * @param {string} version
 * @param {string} content its hash
 * @param {readonly string[]} files
 */
function describePackage(version, content, files) {
  const component = (/** @type {string} */ name, /** @type {string} */ inner) =>
    `<Component Id="${idOf('c', name)}" Guid="${guid(name)}" Win64="yes">${inner}</Component>`;
  const registry = registryValues();
  const others = [
    component('menu', `${shortcut()}${value(`Software\\AcquisitionStore`, 'Menu', '1', true)}`),
    component('types', registry),
  ];
  const names = [...files, 'menu', 'types'];
  return `<?xml version="1.0" encoding="utf-8"?>
<Wix xmlns="http://schemas.microsoft.com/wix/2006/wi">
<Product Id="${guid(`product ${content}`)}" Name="${NAME}" Language="1033" Version="${version}" Manufacturer="${AUTHORS}"
  UpgradeCode="${UPGRADE_CODE}">
<Package InstallerVersion="500" Compressed="yes" InstallScope="perMachine"
  Manufacturer="${AUTHORS}" Description="${NAME} ${version}"/>
<MajorUpgrade DowngradeErrorMessage="A newer version of ${NAME} is installed. Remove it first."/>
<Media Id="1" Cabinet="files.cab" EmbedCab="yes"/>
<Icon Id="${ICON}" SourceFile="${ICON}"/>
<Property Id="ARPPRODUCTICON" Value="${ICON}"/>
<Property Id="ARPNOMODIFY" Value="1"/>
<Directory Id="TARGETDIR" Name="SourceDir">
<Directory Id="ProgramFiles64Folder"><Directory Id="INSTALLDIR" Name="${NAME}">
${directories(files, '.', component)}
${others[1]}
</Directory></Directory>
<Directory Id="ProgramMenuFolder">${others[0]}</Directory>
</Directory>
<Feature Id="Application" Level="1">${names.map((name) => `<ComponentRef Id="${idOf('c', name)}"/>`).join('')}</Feature>
</Product></Wix>
`;
}

/**
 * Describes the files of a folder, and the folders in it.
 * @param {readonly string[]} files
 * @param {string} name of the folder
 * @param {(name: string, inner: string) => string} component
 * @returns {string}
 */
function directories(files, name, component) {
  const own = files.filter((file) => dirname(file) === name);
  const prefix = name === '.' ? '' : `${name}/`;
  const below = files.filter((file) => file.startsWith(prefix) && dirname(file) !== name);
  const folders = [...new Set(below.map((file) => prefix + file.slice(prefix.length).split('/')[0]))];
  const listed = own.map((file) => {
    const source = escapeXml(join(FILES, file));
    const inner = `<File Id="${idOf('f', file)}" Name="${escapeXml(basename(file))}" Source="${source}" KeyPath="yes"/>`;
    return component(file, inner);
  });
  const nested = folders.map(
    (folder) =>
      `<Directory Id="${idOf('d', folder)}" Name="${escapeXml(basename(folder))}">` +
      `${directories(files, folder, component)}</Directory>`,
  );
  return [...listed, ...nested].join('\n');
}

function shortcut() {
  return (
    `<Shortcut Id="menu" Name="${NAME}" Target="[INSTALLDIR]${LAUNCHER}" WorkingDirectory="INSTALLDIR" ` +
    `Icon="${ICON}" Description="Open microscope acquisitions"/>`
  );
}

/** File types get one more choice in "Open with". What opens them by default stays as it is. */
function registryValues() {
  const classes = 'Software\\Classes';
  const application = `${classes}\\Applications\\${LAUNCHER}`;
  const command = `"[INSTALLDIR]${LAUNCHER}" "%1"`;
  return [
    value(application, 'FriendlyAppName', NAME, true),
    value(`${application}\\shell\\open\\command`, undefined, command),
    ...documentTypes().flatMap(({ id, name, extensions }) => [
      value(`${classes}\\${id}`, undefined, name),
      value(`${classes}\\${id}\\DefaultIcon`, undefined, `"[INSTALLDIR]${LAUNCHER}",0`),
      value(`${classes}\\${id}\\shell\\open\\command`, undefined, command),
      ...extensions.flatMap((extension) => [
        // Windows reads only the name here.
        value(`${classes}\\.${extension}\\OpenWithProgids`, id, NAME),
        value(`${application}\\SupportedTypes`, `.${extension}`, NAME),
      ]),
    ]),
  ].join('\n');
}

/**
 * @param {string} key below HKEY_LOCAL_MACHINE
 * @param {string | undefined} name none for the value of the key itself
 * @param {string} text
 * @param {boolean} [isKeyPath] whether Windows looks for it to see if the component is installed
 */
function value(key, name, text, isKeyPath = false) {
  const named = name === undefined ? '' : `Name="${escapeXml(name)}" `;
  return (
    `<RegistryValue Root="HKLM" Key="${escapeXml(key)}" ${named}Type="string" Value="${escapeXml(text)}"` +
    `${isKeyPath ? ' KeyPath="yes"' : ''}/>`
  );
}

/**
 * @param {string} prefix
 * @param {string} name
 */
function idOf(prefix, name) {
  return `${prefix}${createHash('sha256').update(name).digest('hex').slice(0, 16)}`;
}

/** Returns the same id for the same name, in the form of one of version 5. @param {string} name */
function guid(name) {
  const bytes = createHash('sha256').update(UPGRADE_CODE).update(name).digest().subarray(0, 16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x50, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

/** @param {string} text */
function escapeXml(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}

/**
 * Puts the time of the commit and an id of the content in the place of the time at which wixl made the package, and of a random id.
 * @param {Buffer} msi
 * @param {string} id
 */
function withSummary(msi, id) {
  const at = msi.indexOf(SUMMARY);
  if (at < 0 || msi.includes(SUMMARY, at + 1)) throw new Error('the .msi of wixl: expected one list of properties');
  // The list starts 28 bytes before its id, and its properties lie where the number after the id says.
  const section = at - 28 + msi.readUInt32LE(at + SUMMARY.length);
  const time = (BigInt(sourceDate()) + SECONDS_TO_1970) * 10_000_000n;
  for (let i = 0; i < msi.readUInt32LE(section + 4); i++) {
    const entry = section + 8 + 8 * i;
    const property = msi.readUInt32LE(entry);
    const place = section + msi.readUInt32LE(entry + 4);
    // After the type comes a time, or the length of a text and the text.
    if (property === PROPERTIES.id) msi.write(`{${id.toUpperCase()}}`, place + 8, 'latin1');
    if (property === PROPERTIES.created || property === PROPERTIES.saved) msi.writeBigUInt64LE(time, place + 4);
  }
  return msi;
}
