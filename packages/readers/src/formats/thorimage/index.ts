/** ThorImage: a folder with `Experiment.xml` and raw files or TIFFs. See `docs/formats/thorimage.md`. */

import type { Acquisition, OpenInput, Reader } from '../../model/acquisition.js';
import { namedPart } from '../../model/metadata/named-part.js';
import { isMemberName } from './files.js';
import { isSettings, TIFF_NAME } from './magic.js';
import { isOfRecording, openRecording } from './recording.js';
import { listMetadata } from './vendor-metadata.js';

export const reader: Reader = { open, claims };

/** False for a TIFF whose name only looks like one of a recording, and for the files of others that share the container. */
function claims(input: OpenInput): boolean {
  const { name, kind, head } = input.probe;
  if (TIFF_NAME.test(name)) return isOfRecording(input);
  return kind === 'directory' || isMemberName(name) || isSettings(head);
}

async function open(input: OpenInput): Promise<Acquisition> {
  const recording = openRecording(input);
  const { scenes, source, names, part, find } = recording;
  return {
    info: { format: 'xml', scenes, ...namedPart(part, source.name, scenes, find) },
    files: () => [source.name, ...names],
    bands: recording.bands,
    scratchBytes: () => recording.scratchBytes,
    checkScene: recording.checkScene,
    listMetadata: async (_scene, list) => listMetadata(source, list),
    readPlaneColumns: async (scene) => recording.readPlaneColumns(scene),
    readPlane: async (address, target, signal) => recording.readPlane(address, target, signal),
  };
}
