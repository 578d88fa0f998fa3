/** The plug-in for ImageJ keeps the rules of the house, and the version of the packages. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { REPOSITORY } from '../support/cli.js';

const MAX_FILE_LINES = 400;
const MAX_METHOD_LINES = 50;

const read = (path: string) => readFileSync(join(REPOSITORY, path), 'utf8');
const FOLDER = 'fiji/src/main/java/acqstore/imagej';
const sources = readdirSync(join(REPOSITORY, FOLDER)).map((name) => [name, read(`${FOLDER}/${name}`)] as const);

/** Returns the lines of each method: from its name to the brace at the same indentation. */
function methodLengths(source: string): number[] {
  return [...source.matchAll(/^( {2}| {4})\w[^;=\n]*\([\s\S]*?\{\n([\s\S]*?)^\1\}$/gm)].map(
    ([method]) => method.split('\n').length,
  );
}

describe('the plug-in for ImageJ', () => {
  it('has short files and methods', () => {
    expect(sources.length).toBeGreaterThan(10);
    const lengths = sources.flatMap(([, source]) => methodLengths(source));
    expect(lengths.length).toBeGreaterThan(60);
    expect(Math.max(...lengths)).toBeLessThanOrEqual(MAX_METHOD_LINES);
    for (const [, source] of sources) expect(source.split('\n').length).toBeLessThanOrEqual(MAX_FILE_LINES);
  });

  it('uses ImageJ and the JDK only, on the Java of ImageJ', () => {
    const pom = read('fiji/pom.xml');
    expect([...pom.matchAll(/<dependency>\s*<groupId>(.*)<\/groupId>/g)].map(([, group]) => group)).toEqual([
      'net.imagej',
    ]);
    expect(pom).toContain('<maven.compiler.release>8</maven.compiler.release>');
    const imports = sources.flatMap(([, source]) =>
      [...source.matchAll(/^import ([\w.]+);$/gm)].map(([, name]) => name),
    );
    expect(imports.filter((name) => !/^(ij|java|javax\.crypto)\./.test(String(name)))).toEqual([]);
  });

  it('has the version of the packages, also in the docs', () => {
    const { version } = JSON.parse(read('packages/server/package.json')) as { version: string };
    expect(/<version>(.*)<\/version>/.exec(read('fiji/pom.xml'))?.[1]).toBe(version);
    expect(read('docs/fiji.md')).toContain(`Acquisition_Store-${version}.jar`);
  });

  it('is found by ImageJ under its menu', () => {
    const [, command] =
      /^File>Import, "Acquisition Store\.\.\.", acqstore\.imagej\.(\w+)$/m.exec(
        read('fiji/src/main/resources/plugins.config'),
      ) ?? [];
    expect(sources.map(([name]) => name)).toContain(`${command}.java`);
  });
});
