// The application for macOS. Node stays as its makers signed it, and a script starts it with the application.
import { chmodSync, copyFileSync, cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeZip, sign, writeDocuments } from './archive.mjs';
import { documentTypes } from './documents.mjs';
import { OUT } from './executable.mjs';
import { makeIcns } from './icons.mjs';
import { fetchNode } from './nodes.mjs';

const BUNDLE = 'Acquisition Store.app';
const LAUNCHER = 'acqstore';
/** Oldest macOS that Node 22 runs on, as its load commands say. */
const OLDEST_MACOS = '11.0';
/** Command that signs the application in its place. */
const SIGN = 'ACQSTORE_SIGN_MAC';

const SCRIPT = `#!/bin/sh
# Starts the application with the Node inside. A window that was started by old systems has an argument of theirs.
case "$1" in -psn_*) shift ;; esac
contents=$(cd "$(dirname "$0")/.." && pwd)
exec "$contents/Resources/node" "$contents/Resources/acqstore.js" "$@"
`;

/**
 * Makes a zip with the application.
 * @param {import('./linux.mjs').Built} built
 * @returns {string} its path
 */
export function makeApplication(built) {
  const { target, version, executable } = built;
  const bundle = join(OUT, target, BUNDLE);
  const contents = join(bundle, 'Contents');
  const resources = join(contents, 'Resources');
  rmSync(bundle, { recursive: true, force: true });
  for (const folder of [resources, join(contents, 'MacOS')]) mkdirSync(folder, { recursive: true });
  copyFileSync(fetchNode(target), join(resources, 'node'));
  copyFileSync(executable.path, join(resources, 'acqstore.js'));
  cpSync(join(executable.path, '..', 'assets'), join(resources, 'assets'), { recursive: true });
  for (const name of ['examples', 'warm-up']) {
    cpSync(join(executable.packageFolder, name), join(resources, name), { recursive: true });
  }
  writeDocuments(built, join(resources, 'doc'));
  writeFileSync(join(resources, 'icon.icns'), makeIcns());
  writeFileSync(join(contents, 'MacOS', LAUNCHER), SCRIPT);
  for (const path of [join(resources, 'node'), join(contents, 'MacOS', LAUNCHER)]) chmodSync(path, 0o755);
  writeFileSync(join(contents, 'Info.plist'), propertyList(version));
  writeFileSync(join(contents, 'PkgInfo'), 'APPL????');
  sign(SIGN, bundle);
  const path = join(OUT, target, `acquisition-store-${version}-${target}.zip`);
  makeZip(bundle, path);
  rmSync(bundle, { recursive: true });
  return path;
}

/** @param {string} version */
function propertyList(version) {
  const documents = documentTypes().map(({ name, extensions }) => ({
    CFBundleTypeName: name,
    CFBundleTypeRole: 'Viewer',
    LSHandlerRank: 'Alternate',
    CFBundleTypeExtensions: extensions,
  }));
  const values = {
    CFBundleName: 'Acquisition Store',
    CFBundleDisplayName: 'Acquisition Store',
    CFBundleIdentifier: 'org.acquisition-store.desktop',
    CFBundleExecutable: LAUNCHER,
    CFBundleIconFile: 'icon',
    CFBundlePackageType: 'APPL',
    CFBundleShortVersionString: version,
    CFBundleVersion: version,
    CFBundleInfoDictionaryVersion: '6.0',
    CFBundleDevelopmentRegion: 'en',
    LSMinimumSystemVersion: OLDEST_MACOS,
    LSApplicationCategoryType: 'public.app-category.graphics-design',
    NSHighResolutionCapable: true,
    CFBundleDocumentTypes: documents,
  };
  const type = '<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">';
  return `<?xml version="1.0" encoding="UTF-8"?>\n${type}\n<plist version="1.0">${toXml(values)}</plist>\n`;
}

/**
 * Writes a value as a property list does. No text here has characters that XML reserves.
 * @param {unknown} value
 * @returns {string}
 */
function toXml(value) {
  if (typeof value === 'boolean') return `<${value}/>`;
  if (Array.isArray(value)) return `<array>${value.map(toXml).join('')}</array>`;
  if (typeof value !== 'object' || value === null) return `<string>${value}</string>`;
  const entries = Object.entries(value).map(([key, item]) => `<key>${key}</key>${toXml(item)}`);
  return `<dict>\n${entries.join('\n')}\n</dict>`;
}
