/** Puts the name of the file that a message is about in front of the message, once. */

import { AcqError } from '../base/errors.js';
import type { Acquisition, SceneInfo } from '../model/acquisition.js';

/** Names of the files of an acquisition, as messages use them. */
export interface FileNames {
  /** The file or folder that was opened. */
  opened: string;
  /** Returns the files opened so far, including `opened` unless it is a folder. */
  others: () => readonly string[];
}

/** Puts the name of a file in front of an error: the file that the message is about, else the opened file. */
export function nameFirstInError(thrown: unknown, names: FileNames): unknown {
  if (!(thrown instanceof AcqError)) return thrown;
  const { code, message, details, retryAfterSeconds, cause } = thrown;
  const text = nameFirst(message, names) ?? `${names.opened}: ${message}`;
  if (text === message) return thrown;
  return new AcqError(code, text, {
    cause: cause ?? thrown,
    ...(details ? { details } : {}),
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  });
}

/** `The metadata cannot be read: scan.tif: the text is missing` → `scan.tif: the metadata cannot be read: the text is missing`. */
export function nameFirstInScene(scene: SceneInfo, names: FileNames): void {
  const named = (warnings: readonly string[]) => warnings.map((warning) => nameFirst(warning, names) ?? warning);
  if (scene.warnings.length > 0) scene.warnings = named(scene.warnings);
  if (!scene.axisWarnings) return;
  const about = Object.entries<readonly string[]>(scene.axisWarnings).map(([axis, warnings]) => [
    axis,
    named(warnings),
  ]);
  scene.axisWarnings = Object.fromEntries(about);
}

/** Returns an acquisition whose errors start with the name of a file. */
export function withNamedErrors(acquisition: Acquisition, names: FileNames): Acquisition {
  const { checkScene, readReference, listMetadata, readPlaneColumns } = acquisition;
  const named = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await work;
    } catch (error) {
      throw nameFirstInError(error, names);
    }
  };
  const checkNamed = (...args: Parameters<NonNullable<typeof checkScene>>) => {
    try {
      checkScene?.(...args);
    } catch (error) {
      throw nameFirstInError(error, names);
    }
  };
  return {
    ...acquisition,
    ...(checkScene ? { checkScene: checkNamed } : {}),
    readPlane: (...args) => named(acquisition.readPlane(...args)),
    ...(readReference ? { readReference: (...args) => named(readReference(...args)) } : {}),
    ...(readPlaneColumns ? { readPlaneColumns: (scene) => named(readPlaneColumns(scene)) } : {}),
    ...(listMetadata ? { listMetadata: (...args) => named(listMetadata(...args)) } : {}),
  };
}

/** Moves the file name to the front; `undefined` when the text names no file. */
function nameFirst(text: string, names: FileNames): string | undefined {
  if (text.startsWith(names.opened)) return withoutRepeats(text.split(': '));
  const others = new Set(names.others());
  const parts = text.split(': ');
  const at = parts.findIndex((part) => isFile(part, names.opened, others));
  if (at < 0) return undefined;
  if (at === 0) return withoutRepeats(parts);
  const [file = ''] = parts.splice(at, 1);
  return withoutRepeats([file, ...parts.map((part, i) => (i === 0 ? uncapitalized(part) : part))]);
}

/** True for a file, or a place in one: `a.zip/0/zarr.json`, `scan.czi [attachment at 512]`, `image.ome.zarr (chunk 3)`. */
function isFile(part: string, opened: string, others: ReadonlySet<string>): boolean {
  if (part === opened || part.startsWith(`${opened}/`) || others.has(part)) return true;
  const cut = Math.max(part.lastIndexOf(' ['), part.lastIndexOf(' ('));
  return cut > 0 && isFile(part.slice(0, cut), opened, others);
}

/** Removes repeated names: `scan.tif: image 2: scan.tif: …` becomes `scan.tif: image 2: …`. */
function withoutRepeats([file = '', ...rest]: string[]): string {
  return [file, ...rest.filter((part) => part !== file)].join(': ');
}

function uncapitalized(text: string): string {
  return text.replace(/^(The|A|An|What) /, (word) => word.toLowerCase());
}
