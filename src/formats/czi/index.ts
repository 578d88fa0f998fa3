/** Zeiss CZI (ZISRAW container): ZEN, LSM 7xx to 9xx, Lightsheet, Axioscan. See `docs/formats/czi.md`. */
import { basename } from 'node:path';
import type { Acquisition, OpenInput, Reader } from '../../acquisition.js';
import { decodeFailed, unsupported } from '../../errors.js';
import { namedPart } from '../../metadata/named-part.js';
import { openParts, type Parts } from './parts.js';
import { type OpenedReference, openReference } from './reference.js';
import { type OpenedContainer, openScenes } from './scenes.js';

export const reader: Reader = { open };

/** @throws AcqError `unsupported_format`, `decode_failed` */
async function open(input: OpenInput): Promise<Acquisition> {
  const { source, probe, folder } = input;
  if (!source) throw unsupported(`${probe.name}: is a folder; open the .czi file inside it`);
  const parts = openParts(probe.name, source, folder);
  const container = openScenes(probe.name, parts);
  const { scenes } = container;
  const reference = await addReference(container, parts);
  const infos = scenes.map(({ info }) => info);
  const part = parts.named === 0 ? undefined : probe.name;
  const named = namedPart(part, basename(parts.main.name), infos, () => container.firstOfPart(parts.named));
  return {
    info: { format: 'czi', scenes: infos, ...named },
    files: () => parts.files(),
    bands: (scene) => scenes[scene]?.bands() ?? 1,
    scratchBytes: (scene) => scenes[scene]?.scratchBytes() ?? 0,
    async readPlane({ scene, channel, t, z }, target, signal) {
      const opened = scenes[scene];
      if (!opened) throw decodeFailed(`${probe.name}: has no scene ${scene}`);
      await opened.read(channel, { t, z }, target, signal);
    },
    async readReference(_scene, channel, target, signal) {
      if (!reference) throw decodeFailed(`${probe.name}: has no reference image`);
      await reference.read(channel, { t: 0, z: 0 }, target, signal);
    },
  };
}

/** Line scans know the overview that they were drawn on. */
async function addReference(container: OpenedContainer, parts: Parts): Promise<OpenedReference | undefined> {
  const lineScans = container.scenes.filter(({ lines }) => lines);
  if (lineScans.length === 0) return undefined;
  const warnings: string[] = [];
  const reference = await openReference(container, parts, warnings);
  for (const { info } of lineScans) {
    info.reference = reference?.info ?? null;
    info.warnings.push(...warnings);
  }
  return reference;
}
