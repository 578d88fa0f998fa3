// The package of the server without the window, for Debian and Ubuntu: the command, its manual and a unit of systemd.
import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { MAINTAINER, packDeb, SERVER_NAME } from './deb.mjs';
import { OUT } from './executable.mjs';
import {
  copyProgram,
  DESKTOP,
  folder,
  manualPage,
  NAME,
  sourceDate,
  writeCompressed,
  writeDocuments,
} from './linux.mjs';
import { run } from './run.mjs';

/** Where shells look for completions of commands. */
const COMPLETIONS = {
  bash: 'bash-completion/completions/acqstore',
  zsh: 'zsh/vendor-completions/_acqstore',
  fish: 'fish/vendor_completions.d/acqstore.fish',
};
/** How the unit of deploy/ differs in the package, which runs without settings, a session store and users. */
const UNIT_CHANGES = /** @type {const} */ ([
  [/^# One instance for each port: (.*)\. See .*$/m, '# One instance for each port: $1.'],
  [
    /^# Settings are in .*$/m,
    '# Settings are in /etc/acqstore/PORT.env, as environment variables: see acqstore serve --help.',
  ],
  [/^Documentation=.*$/m, 'Documentation=man:acqstore(1)'],
  [/^EnvironmentFile=/m, 'EnvironmentFile=-'],
  [/^(LoadCredential=.*\n)+/m, ''],
  [/^# systemd looks for it .*\nExecStart=acqstore /m, 'ExecStart=/usr/bin/acqstore '],
  [/ --drain-seconds .*$/m, ''],
]);
/** Directly after a file was installed or removed, systemd does not know it. */
const RELOAD = 'if [ -d /run/systemd/system ]; then systemctl --system daemon-reload || true; fi\n';
const SCRIPTS = {
  postinst: `#!/bin/sh\nset -e\n${RELOAD}`,
  prerm: `#!/bin/sh
set -e
# Instances must not go on without their program.
if [ "$1" = remove ] && [ -d /run/systemd/system ]; then
  deb-systemd-invoke stop 'acqstore@*.service' || true
fi
`,
  postrm: `#!/bin/sh
set -e
if [ "$1" = purge ]; then
  rm -f /etc/systemd/system/*.wants/acqstore@*.service
  rm -rf /var/lib/acqstore-[0-9]* /var/lib/private/acqstore-[0-9]*
fi
${RELOAD}`,
};

/**
 * Makes the .deb of the server. Two builds of a commit have the same bytes.
 * @param {import('./linux.mjs').Built} built
 * @returns {string} its path
 */
export function makeServerDeb(built) {
  const root = join(OUT, built.target, 'server-deb');
  makeTree(built, root);
  return packDeb(built, root, {
    name: SERVER_NAME,
    fields: {
      Suggests: 'xdg-desktop-portal | zenity | kdialog',
      Conflicts: NAME,
      Replaces: NAME,
    },
    description: `serve microscope acquisitions to programs and browsers
 Opens line scans, frames and stacks of microscopes (OIR, CZI, ND2, LIF,
 OME-TIFF, OME-Zarr and others), and serves their metadata and raw planes over
 HTTP. The command acqstore also inspects and exports files. Nothing is started
 when it is installed: a unit of systemd is there for those who want a service.
 .
 The package acquisition-store has the same command, and a window.`,
    scripts: SCRIPTS,
  });
}

/**
 * @param {import('./linux.mjs').Built} built
 * @param {string} root
 */
function makeTree(built, root) {
  const { executable } = built;
  rmSync(root, { recursive: true, force: true });
  copyProgram(executable, root, SERVER_NAME);
  const share = (/** @type {string[]} */ ...names) => folder(root, 'usr/share', ...names);
  writeFileSync(join(folder(root, 'usr/lib/systemd/system'), 'acqstore@.service'), serviceUnit());
  writeCompressed(join(share('man/man1'), 'acqstore.1.gz'), manualPage({ withWindow: false }));
  const main = join(executable.packageFolder, 'dist', 'cli', 'main.js');
  for (const [shell, path] of Object.entries(COMPLETIONS)) {
    const script = run(root, process.execPath, [main, 'completions', shell]);
    writeFileSync(join(share(path, '..'), path.split('/').pop() ?? ''), script);
  }
  const overrides = join(DESKTOP, 'linux', `${SERVER_NAME}.lintian-overrides`);
  copyFileSync(overrides, join(share('lintian/overrides'), SERVER_NAME));
  const docs = share('doc', SERVER_NAME);
  writeDocuments(built, docs);
  writeCompressed(join(docs, 'changelog.gz'), debianChangelog(built.version));
  writeCompressed(join(docs, 'CHANGELOG.md.gz'), readFileSync(join(executable.packageFolder, 'CHANGELOG.md')));
  run(root, 'chmod', ['-R', 'u=rwX,go=rX', '.']);
}

/** Returns the unit of deploy/ as the package has it. */
function serviceUnit() {
  let text = readFileSync(join(DESKTOP, '..', '..', 'deploy', 'acqstore@.service'), 'utf8');
  for (const [from, to] of UNIT_CHANGES) {
    if (!from.test(text)) throw new Error(`deploy/acqstore@.service: does not match ${from}`);
    text = text.replace(from, to);
  }
  return text;
}

/**
 * Returns what Debian asks of each version; what changed for users is in CHANGELOG.md.
 * @param {string} version
 */
function debianChangelog(version) {
  const date = new Date(Number(sourceDate()) * 1000).toUTCString().replace('GMT', '+0000');
  const entry = `${SERVER_NAME} (${version}) unstable; urgency=medium\n\n  * See CHANGELOG.md.gz beside this file.\n`;
  return `${entry}\n -- ${MAINTAINER}  ${date}\n`;
}
