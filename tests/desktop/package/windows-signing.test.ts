/** Programs and packages for Windows, signed with a certificate of the test's own. */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { buildDesktop } from '../../../packages/desktop/build/build.mjs';
import { buildPackages } from '../../../packages/desktop/build/packages.mjs';
import { packageVersion } from '../../../packages/server/src/package-files.js';
import { describeWithPrograms } from '../../support/desktop.js';
import { tempFolder } from '../../support/temp.js';
import { Wine } from '../../support/wine.js';
import { whyNotBuilt } from './built.js';

const TARGET = 'win32-x64';
const VARIABLE = 'ACQSTORE_SIGN_WINDOWS';
const problem = whyNotBuilt(TARGET) ?? whyNotBuilt();
const programs =
  problem === undefined
    ? ['osslsigncode', 'openssl', 'wine', 'wineserver', 'x86_64-w64-mingw32-gcc', 'rsvg-convert', 'makensis', 'wixl']
    : ['Node for Windows'];
const folder = tempFolder();
const certificate = join(folder, 'certificate.pem');

describeWithPrograms('signed packages for Windows', programs, () => {
  let paths: [setup: string, msi: string];
  let wine: Wine;

  beforeAll(async () => {
    makeCertificate();
    buildDesktop();
    process.env[VARIABLE] = `sh '${join(folder, 'sign it.sh')}'`;
    try {
      paths = (await buildPackages(TARGET, ['setup', 'msi'])).slice(0, 2) as [string, string];
    } finally {
      delete process.env[VARIABLE];
    }
    wine = new Wine();
  });
  afterAll(() => {
    wine?.stop();
    // Other tests build packages of their own, from unsigned programs.
    for (const path of paths ?? []) rmSync(path, { force: true });
  });

  it('have a signature that covers their bytes', () => {
    for (const path of paths) {
      expect(verify(path), path).toMatchObject({ status: 0 });
      const changed = join(folder, 'changed');
      const bytes = readFileSync(path);
      bytes.writeUInt8(bytes.readUInt8(bytes.length >> 1) ^ 1, bytes.length >> 1);
      writeFileSync(changed, bytes);
      expect(verify(changed).status, `${path}, changed`).not.toBe(0);
    }
  });

  it('install signed programs, which run', () => {
    expect(wine.run(paths[0], '/S').status).toBe(0);
    const installed = join(wine.localAppData, 'Programs', 'Acquisition Store');
    const names = readdirSync(installed).filter((name) => name.endsWith('.exe'));
    expect(names.sort()).toEqual(['Acquisition Store.exe', 'acqstore-dialog.exe', 'acqstore.exe', 'uninstall.exe']);
    for (const name of names) expect(verify(join(installed, name)), name).toMatchObject({ status: 0 });
    expect(wine.mustRun(join(installed, 'acqstore.exe'), '--version').trim()).toBe(packageVersion());
  });
});

function makeCertificate(): void {
  const key = join(folder, 'key.pem');
  const store = join(folder, 'certificate.p12');
  const password = join(folder, 'password');
  writeFileSync(password, 'only for this test');
  const subject = ['-subj', '/CN=Test', '-addext', 'extendedKeyUsage=codeSigning'];
  openssl(
    'req',
    '-x509',
    '-newkey',
    'rsa:2048',
    '-nodes',
    '-days',
    '2',
    ...subject,
    '-keyout',
    key,
    '-out',
    certificate,
  );
  openssl('pkcs12', '-export', '-inkey', key, '-in', certificate, '-out', store, '-passout', `file:${password}`);
  const command = `osslsigncode sign -h sha256 -pkcs12 '${store}' -readpass '${password}' -in "$1" -out "$1.signed"`;
  writeFileSync(join(folder, 'sign it.sh'), `${command} && mv "$1.signed" "$1"\n`);
}

function openssl(...args: string[]): void {
  const { status, stderr } = spawnSync('openssl', args, { encoding: 'utf8' });
  expect(status, stderr).toBe(0);
}

function verify(path: string) {
  return spawnSync('osslsigncode', ['verify', '-CAfile', certificate, '-in', path], { encoding: 'utf8' });
}
