/** Olympus / Evident OIR: FV3000, FV4000, FVMPE-RS. See `docs/formats/oir.md`. */

import { decodeFailed, unsupported } from '../../base/errors.js';
import { lastPart } from '../../io/paths.js';
import { hasZipEntry, isZip } from '../../io/zip.js';
import type { Acquisition, NamedPlane, OpenInput, Reader } from '../../model/acquisition.js';
import { namedPart } from '../../model/metadata/named-part.js';
import { openArchive } from './archive.js';
import { firstPlaneIn } from './arrange.js';
import { isOir } from './magic.js';
import { readColumns } from './plane-columns.js';
import { type OirScene, openScene, readScenePlane, readSceneReference } from './scene.js';
import { listMetadata } from './vendor-metadata.js';

export const reader: Reader = {
  open,
  claims: ({ source, probe }) =>
    source !== undefined &&
    (isOir(probe.head) || (isZip(probe.head) && hasZipEntry(source, (name) => /\.p?oir$/i.test(name)))),
};

/** @throws AcqError `unsupported_format`, `decode_failed` */
async function open(input: OpenInput): Promise<Acquisition> {
  const { source, probe, folder, signal } = input;
  if (!source) throw unsupported('is a folder. Open the .oir file inside it.');
  if (isOir(probe.head)) {
    const scene = openScene(source, probe.name, folder, signal);
    const acquisition = toAcquisition([scene], 'oir');
    return {
      ...acquisition,
      info: { ...acquisition.info, ...findNamed(input, scene) },
      files: () => scene.recording.files.map((file) => lastPart(file.source.name)),
    };
  }
  const format = /\.(m?poir)$/i.exec(probe.name)?.[1]?.toLowerCase() ?? 'poir';
  return toAcquisition(openArchive(source, signal), format);
}

/** Returns an acquisition with recordings as its scenes. */
export function toAcquisition(scenes: readonly OirScene[], format: string): Acquisition {
  const sceneAt = (index: number): OirScene => {
    const scene = scenes[index];
    if (!scene) throw decodeFailed(`there is no scene ${index}`);
    return scene;
  };
  return {
    info: { format, scenes: scenes.map(({ info }) => info) },
    async readPlane(address, target, signal) {
      readScenePlane(sceneAt(address.scene), address, target, signal);
    },
    async readReference(scene, channel, target, signal) {
      readSceneReference(sceneAt(scene), channel, target, signal);
    },
    readPlaneColumns: async (scene) => readColumns(sceneAt(scene).recording, sceneAt(scene).arranged),
    listMetadata: (scene, list) => listMetadata(sceneAt(scene).recording, list),
  };
}

/** Finds the plane to show for a continuation: the first that starts in it. */
function findNamed({ part, probe }: OpenInput, scene: OirScene): { named?: NamedPlane } {
  const { recording } = scene;
  const name = part === undefined ? probe.name : lastPart(part);
  const continuation = name === recording.name ? undefined : name;
  return namedPart(continuation, recording.name, [scene.info], (file) => {
    const plane = firstPlaneIn(recording, scene.arranged, file);
    return plane && { scene: 0, ...plane };
  });
}
