import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { changelogFaults, smokeTest, treeFaults, versionFaults } from '../../scripts/release-check.mjs';
import { REPOSITORY } from '../support/cli.js';
import { LONG } from '../support/long.js';
import { hasNpm, packTo } from '../support/packed.js';
import { tempFolder, writeTemp } from '../support/temp.js';

const { version } = JSON.parse(readFileSync(join(REPOSITORY, 'packages/server/package.json'), 'utf8')) as {
  version: string;
};

describe('the release check', () => {
  it('accepts a release version that the lockfile agrees with', () => {
    const folder = tempFolder();
    mkdirSync(join(folder, 'packages/server'), { recursive: true });
    writeTemp(folder, 'packages/server/package.json', '{"version": "1.2.0"}');
    writeTemp(folder, 'package-lock.json', '{"packages": {"packages/server": {"version": "1.2.0"}}}');
    expect(versionFaults(folder)).toEqual([]);
    writeTemp(folder, 'packages/server/package.json', '{"version": "1.2.1-beta"}');
    expect(versionFaults(folder)).toEqual([
      'packages/server/package.json: "1.2.1-beta" is not a release version such as 1.2.0',
      'package-lock.json: has version 1.2.0; run npm install --package-lock-only',
    ]);
  });

  it('accepts an entry of the changelog that has a date and a change', () => {
    const entry = '# Changelog\n\n## [1.2.0] - 2026-03-01\n\n### Fixed\n\n- A line.\n\n## [1.1.0] - 2026-02-01\n';
    expect(changelogFaults(entry, '1.2.0')).toEqual([]);
    expect(changelogFaults(entry, '1.1.0')).toEqual(['CHANGELOG.md: the entry of 1.1.0 lists no change']);
    expect(changelogFaults(entry, '1.3.0')).toEqual(['CHANGELOG.md: has no entry "## [1.3.0] - YYYY-MM-DD"']);
    for (const date of ['unreleased', '2026-13-01', '01.03.2026']) {
      expect(changelogFaults(entry.replace('2026-03-01', date), '1.2.0')).toEqual([
        `CHANGELOG.md: "## [1.2.0] - ${date}" has no date; write "## [1.2.0] - YYYY-MM-DD"`,
      ]);
    }
  });

  it('accepts a tree in which everything is committed and the version has no tag', () => {
    const folder = tempFolder();
    const git = (...args: string[]) =>
      execFileSync('git', ['-c', 'user.name=Test', '-c', 'user.email=test@example.org', ...args], { cwd: folder });
    git('init', '--quiet');
    git('commit', '--quiet', '--allow-empty', '--message', 'Start the history');
    expect(treeFaults(folder, '1.2.0')).toEqual([]);
    git('tag', 'v1.2.0');
    writeTemp(folder, 'new.txt', '');
    expect(treeFaults(folder, '1.2.0')).toEqual([
      'the working tree has changes that are not committed:\n?? new.txt',
      'the tag v1.2.0 exists: raise the version',
    ]);
    expect(treeFaults(folder, '1.3.0')).toHaveLength(1);
  });

  it.runIf(LONG && hasNpm)(
    'installs the packed package into an empty folder and uses it',
    async () => {
      const folder = tempFolder();
      const tarball = packTo(folder);
      await expect(smokeTest(tarball, '0.0.0', join(folder, 'wrong'))).rejects.toThrow(
        `acqstore --version: ${version}; expected 0.0.0`,
      );
      await smokeTest(tarball, version, join(folder, 'right'));
    },
    180_000,
  );
});
