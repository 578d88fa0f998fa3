import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { REPOSITORY } from '../support/cli.js';

/** Subjects have been kept to the rule since this commit. */
const START = 'c3411de631bc22a929144535a5e604fb8ccd949b';
const [MIN, MAX] = [15, 72];

/** The subjects of the commits that follow `start`, without those of merges; a string says why there are none. */
function subjectsSince(start: string): string[] | string {
  const git = (...args: string[]) => spawnSync('git', args, { cwd: REPOSITORY, encoding: 'utf8' });
  const found = git('rev-parse', '--git-dir');
  if (found.status !== 0) return found.stderr?.trim() || 'git is not installed';
  if (git('cat-file', '-e', `${start}^{commit}`).status !== 0) return `this clone does not contain the commit ${start}`;
  return git('log', '--no-merges', '--format=%h %s', `${start}..HEAD`).stdout.split('\n').filter(Boolean);
}

/** Lists commits, each an abbreviated hash and a subject, whose subject is too short or too long. */
function lengthFaults(commits: string[]): string[] {
  return commits.flatMap((commit) => {
    const { length } = [...commit.slice(commit.indexOf(' ') + 1)];
    return length < MIN || length > MAX ? [`${commit}: ${length} characters; write ${MIN} to ${MAX}`] : [];
  });
}

describe('commits', () => {
  it(`have subjects of ${MIN} to ${MAX} characters`, (context) => {
    const commits = subjectsSince(START);
    if (typeof commits === 'string') {
      console.warn(`Subjects of commits were not checked: ${commits}.`);
      return context.skip(commits);
    }
    expect(lengthFaults(commits)).toEqual([]);
  });

  it('are named when their subjects are too short or too long', () => {
    const subjects = ['Fix it quickly', 'Fix it at once!', `Fix ${'µ'.repeat(68)}`, `Fix ${'x'.repeat(69)}`];
    expect(lengthFaults(subjects.map((subject) => `0123abc ${subject}`))).toEqual([
      '0123abc Fix it quickly: 14 characters; write 15 to 72',
      `0123abc ${subjects[3]}: 73 characters; write 15 to 72`,
    ]);
  });

  it('are not checked in a clone without the history', () => {
    expect(subjectsSince('0123456789012345678901234567890123456789')).toEqual(expect.any(String));
  });
});
