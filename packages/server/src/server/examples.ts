import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Examples } from '@acquisition-store/client/contract/common.js';
import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';
import type { ServerOptions } from '../options.js';
import { isInside } from '../paths/policy.js';
import type { Caller } from './caller.js';
import type { AppDependencies } from './dependencies.js';

/** `examples.json` in the folder of the samples. */
const ExampleList = Type.Array(Type.Object({ file: Type.String(), name: Type.String(), description: Type.String() }));

/** Returns the samples that come with the server and that the caller may open. */
export function listExamples(
  { roots }: Pick<ServerOptions, 'roots'>,
  { folders }: Pick<AppDependencies, 'folders'>,
  { user }: Pick<Caller, 'user'>,
): Examples['examples'] {
  const isInOneOf = (path: string, places: readonly string[]) =>
    places.some((place) => isInside(path, place, process.platform));
  return readList(folders.examples)
    .map(({ file, name, description }) => ({ name, description, path: resolve(folders.examples, file) }))
    .filter(({ path }) => existsSync(path))
    .filter(({ path }) => roots.length === 0 || isInOneOf(path, roots))
    .filter(({ path }) => user?.folders === undefined || isInOneOf(path, user.folders));
}

function readList(folder: string): Static<typeof ExampleList> {
  let text: string;
  try {
    text = readFileSync(join(folder, 'examples.json'), 'utf8');
  } catch {
    return [];
  }
  return Value.Parse(ExampleList, JSON.parse(text));
}
