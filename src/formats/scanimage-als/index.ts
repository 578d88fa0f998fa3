import { basename } from 'node:path';
import type { Acquisition, OpenInput, Reader } from '../../acquisition.js';
import { companionMissing, decodeFailed } from '../../errors.js';
import type { ByteSource } from '../../io/byte-source.js';
import { LIMITS } from '../../io/limits.js';
import { decodeText } from '../../io/text.js';
import { toScene } from './metadata.js';
import { parseMeta } from './parse.js';
import { readChannel } from './planes.js';

const META = '.meta.txt';
const DATA = '.pmt.dat';

/** Opens the pair by either of its files. The mirror positions (`.scnnr.dat`) are not read. */
export const reader: Reader = {
  open: async (input): Promise<Acquisition> => {
    const meta = member(input, META, 'the header of the line scan');
    const data = member(input, DATA, 'the samples of the line scan');
    if (meta.source.size > LIMITS.sidecarBytes) {
      throw decodeFailed(`${meta.name}: has ${meta.source.size} bytes, more than a header can have`);
    }
    const raw = parseMeta(meta.name, decodeText(meta.source.read(0, meta.source.size)));
    const scene = toScene(raw, data.name, data.source.size);
    return {
      info: { format: 'pmt.dat', scenes: [scene] },
      files: () => [meta.name, data.name],
      readPlane: async ({ channel }, target, signal) =>
        readChannel(data.source, channel, scene.channels.length, target, signal),
    };
  },
};

function member(input: OpenInput, extension: string, what: string): { name: string; source: ByteSource } {
  const own = input.probe.name;
  if (own.toLowerCase().endsWith(extension) && input.source) return { name: own, source: input.source };
  const other = extension === META ? DATA : META;
  const name = own.slice(0, own.length - other.length) + extension;
  const source = input.folder.openAnyCase(name);
  if (!source) throw companionMissing(own, `"${name}", which holds ${what},`, input.folder.path);
  return { name: basename(source.name), source };
}
