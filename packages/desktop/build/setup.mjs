// The installer for Windows, by NSIS.
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { sign } from './archive.mjs';
import { documentTypes } from './documents.mjs';
import { makeIco } from './icons.mjs';
import { DESKTOP } from './linux.mjs';
import { run } from './run.mjs';
import { LAUNCHER, packagePath, SIGN, windowsFolder } from './windows.mjs';

/**
 * Makes a setup.exe that installs for one user.
 * @param {import('./linux.mjs').Built} built
 * @returns {string} its path
 */
export function makeSetup(built) {
  const { folder, files } = windowsFolder(built);
  const path = packagePath(built, '-setup.exe');
  const draft = mkdtempSync(join(tmpdir(), 'acqstore-setup-'));
  try {
    const icon = join(draft, 'icon.ico');
    const lists = join(draft, 'lists.nsh');
    writeFileSync(icon, makeIco());
    writeFileSync(lists, macros(folder, files));
    const bytes = files.reduce((sum, file) => sum + statSync(join(folder, file)).size, 0);
    const kilobytes = Math.ceil(bytes / 1024);
    const values = { VERSION: built.version, OUT: path, ICON: icon, LISTS: lists, KILOBYTES: kilobytes };
    const signing = signingScript(draft);
    const defines = Object.entries({ ...values, ...signing }).map(([name, value]) => `-D${name}=${value}`);
    run(join(DESKTOP, 'windows'), 'makensis', ['-V2', '-WX', ...defines, 'setup.nsi']);
  } finally {
    rmSync(draft, { recursive: true });
  }
  sign(SIGN, path);
  return path;
}

/**
 * Returns how the uninstaller, which NSIS makes, is signed: by a script, since a command may have quotes of its own.
 * @param {string} folder for the script
 * @returns {{ SIGN?: string }}
 */
function signingScript(folder) {
  const command = process.env[SIGN];
  if (!command) return {};
  const script = join(folder, 'sign.sh');
  writeFileSync(script, `${command} "$1"\n`);
  return { SIGN: `sh ${script}` };
}

/**
 * Returns what the script includes: it removes exactly what it installs, whatever else is in the folder.
 * @param {string} folder
 * @param {readonly string[]} files
 */
function macros(folder, files) {
  const folders = [...new Set(files.flatMap(foldersOf))].sort();
  const install = folders.flatMap((name) => [
    `SetOutPath "${inside(name)}"`,
    ...files
      .filter((file) => dirname(file) === name)
      .map((file) => `File "${join(folder, file).replaceAll('$', '$$$$')}"`),
  ]);
  const remove = [
    ...files.map((file) => `Delete "${inside(file)}"`),
    // The folders inside others first.
    ...folders
      .filter((name) => name !== '.')
      .reverse()
      .map((name) => `RMDir "${inside(name)}"`),
  ];
  return [
    macro('InstallFiles', install),
    macro('RemoveFiles', remove),
    macro('AddTypes', documentTypes().flatMap(addType)),
    macro('RemoveTypes', documentTypes().flatMap(removeType)),
  ].join('\n');
}

/** Returns the folder of a file, and those around it. @param {string} file @returns {string[]} */
function foldersOf(file) {
  const folder = dirname(file);
  return folder === '.' ? ['.'] : [folder, ...foldersOf(folder)];
}

/** @param {string} file */
function inside(file) {
  return file === '.' ? '$INSTDIR' : `$INSTDIR\\${file.replaceAll('/', '\\')}`;
}

/** @param {{ id: string, name: string, extensions: string[] }} type */
function addType({ id, name, extensions }) {
  const key = `HKCU "Software\\Classes\\${id}`;
  const supported = `HKCU "Software\\Classes\\Applications\\${LAUNCHER}\\SupportedTypes"`;
  return [
    `WriteRegStr ${key}" "" "${name}"`,
    `WriteRegStr ${key}\\DefaultIcon" "" '"$INSTDIR\\${LAUNCHER}",0'`,
    `WriteRegStr ${key}\\shell\\open\\command" "" '"$INSTDIR\\${LAUNCHER}" "%1"'`,
    ...extensions.flatMap((extension) => [
      `WriteRegStr HKCU "Software\\Classes\\.${extension}\\OpenWithProgids" "${id}" ""`,
      `WriteRegStr ${supported} ".${extension}" ""`,
    ]),
  ];
}

/** @param {{ id: string, extensions: string[] }} type */
function removeType({ id, extensions }) {
  return [
    `DeleteRegKey HKCU "Software\\Classes\\${id}"`,
    ...extensions.flatMap((extension) => {
      const key = `"Software\\Classes\\.${extension}`;
      return [
        `DeleteRegValue HKCU ${key}\\OpenWithProgids" "${id}"`,
        // Other programs may have their own values there.
        `DeleteRegKey /ifnosubkeys /ifnovalues HKCU ${key}\\OpenWithProgids"`,
        `DeleteRegKey /ifnosubkeys /ifnovalues HKCU ${key}"`,
      ];
    }),
  ];
}

/**
 * @param {string} name
 * @param {readonly string[]} lines
 */
function macro(name, lines) {
  return [`!macro ${name}`, ...lines.map((line) => `  ${line}`), '!macroend', ''].join('\n');
}
