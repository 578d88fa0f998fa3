/** Olympus FluoView OIF and OIB: one scene with a TIFF per plane. See `docs/formats/oif.md`. */

import { isOle } from '../../io/ole-magic.js';
import { lastPart } from '../../io/paths.js';
import type { Acquisition, OpenInput, Reader } from '../../model/acquisition.js';
import { namedPart } from '../../model/metadata/named-part.js';
import { pageScratch } from '../../tiff/scratch.js';
import { channelDisplays } from './display.js';
import { type FluoViewSet, isFluoViewSet, openFluoViewSet, propertiesName } from './fluoview-set.js';
import { readFrameTimes } from './frame-times.js';
import { toScene } from './metadata.js';
import { parseMain, parsePlaneNames } from './parse.js';
import { planPlanes } from './plan.js';
import { readColumns } from './plane-columns.js';
import { PlaneFiles } from './planes.js';
import { openReference, readReferencePlane } from './reference.js';
import { listMetadata } from './vendor-metadata.js';

export const reader: Reader = { open, claims: isFluoViewSet };

async function open(input: OpenInput): Promise<Acquisition> {
  const part = input.part === undefined ? undefined : lastPart(input.part);
  return openSet(openFluoViewSet(input), isOle(input.probe.head) ? 'oib' : 'oif', part);
}

/**
 * Opens the acquisition that a set contains.
 * @param part base name of the file that was named, when it is not the set itself
 * @throws AcqError `companion_missing`, `decode_failed`
 */
export function openSet(set: FluoViewSet, format: string, part?: string): Acquisition {
  const raw = parseMain(set.main);
  const names = parsePlaneNames(set.names);
  if (names.every(({ reference }) => reference !== undefined)) throw set.missing('every plane file (s_C001….tif)');
  const plan = planPlanes(raw, names);
  const planes = new PlaneFiles(set, plan);
  const displays = channelDisplays(set, raw);
  const reference = openReference(set, raw, names, displays);
  const scene = toScene({
    main: set.main,
    raw,
    plan,
    shape: planes.shape,
    properties: set.settings(propertiesName(planes.firstFile)),
    firstChannel: planes.firstChannel,
    times: readFrameTimes(set, raw, plan),
    displays,
    reference,
  });
  const named = namedPart(part, set.name, [scene], (file) => {
    const plane = plan.planeOfFile(file);
    return plane && { scene: 0, ...plane };
  });
  const { files } = set;
  return {
    info: { format, scenes: [scene], ...named },
    ...(files ? { files: () => files } : {}),
    scratchBytes: () => pageScratch(planes.shape.layout),
    readPlane: (address, target, signal) => planes.read(address, target, signal),
    readReference: (_scene, channel, target, signal) => readReferencePlane(reference, channel, target, signal),
    readPlaneColumns: async () => readColumns(set, raw, plan),
    listMetadata: async (_scene, list) => listMetadata(set.main, list),
  };
}
