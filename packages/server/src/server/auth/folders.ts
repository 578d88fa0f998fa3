/** Folders of a user, from the claims of a token. */

/** Folders that one token can lead to: a person is in tens of groups, not in thousands. */
const MAX_FOLDERS = 256;
const PLACEHOLDER = /\{([^{}]*)\}/;
/** One component of a path on every system; neither `.` nor `..`. */
const COMPONENT = /^(?!\.+$)[A-Za-z0-9._-]{1,255}$/;

/**
 * Replaces the names of claims in braces by their values: one folder for each value of a list. Values that are not a plain
 * name are skipped, because a group called `../x` must not lead anywhere.
 */
export function fillFolders(templates: readonly string[], claims: Readonly<Record<string, unknown>>): string[] {
  const folders = templates.flatMap((template) => fill(template, claims));
  return [...new Set(folders)].slice(0, MAX_FOLDERS);
}

function fill(template: string, claims: Readonly<Record<string, unknown>>): string[] {
  const match = PLACEHOLDER.exec(template);
  if (!match) return [template];
  const [placeholder, name = ''] = match;
  const values = Object.hasOwn(claims, name) ? [claims[name]].flat().slice(0, MAX_FOLDERS) : [];
  const names = values.filter((value): value is string => typeof value === 'string' && COMPONENT.test(value));
  return names
    .flatMap((value) =>
      fill(
        template.replace(placeholder, () => value),
        claims,
      ),
    )
    .slice(0, MAX_FOLDERS);
}
