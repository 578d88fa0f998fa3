// docs/benchmarks.md has sections of several benches. Each replaces its own and leaves the others.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';

/**
 * Replaces the section that has the heading of `lines[0]` ("## …"), up to the next such heading; appends it when it is new.
 * @param {string} path
 * @param {string[]} lines
 */
export function writeSection(path, lines) {
  const text = existsSync(path) ? readFileSync(path, 'utf8') : '';
  const sections = text.split(/^(?=## )/m);
  const section = `${lines.join('\n').trim()}\n`;
  const at = sections.findIndex((part) => part.startsWith(`${lines[0]}\n`));
  if (at < 0) sections.push(section);
  else sections[at] = section;
  writeFileSync(path, `${sections.map((part) => part.trim()).join('\n\n')}\n`);
}

/**
 * Replaces all sections but those whose heading is in `others`, which stay at the end.
 * @param {string} path
 * @param {string[]} lines
 * @param {string[]} others
 */
export function writeAllSections(path, lines, others) {
  const text = existsSync(path) ? readFileSync(path, 'utf8') : '';
  const kept = text.split(/^(?=## )/m).filter((part) => others.some((heading) => part.startsWith(`${heading}\n`)));
  writeFileSync(path, `${[lines.join('\n'), ...kept].map((part) => part.trim()).join('\n\n')}\n`);
}
