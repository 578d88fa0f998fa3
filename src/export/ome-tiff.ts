/** OME-TIFF: a page for each plane, in the type of the file, and all scenes as images in one OME-XML. */
import { basename } from 'node:path';
import type { SceneInfo } from '../acquisition.js';
import { toOmeXml } from '../metadata/ome-xml.js';
import { SAMPLE_ARRAYS } from '../samples/types.js';
import { type Cut, planesOf } from './cut.js';
import { OutputError } from './output-error.js';
import { finishStaged, StagedFile } from './staged.js';
import { needsBigTiff, type TiffPage, TiffWriter } from './tiff-writer.js';
import type { WriteJob } from './types.js';

export async function writeOmeTiff(job: WriteJob): Promise<string> {
  const { cut, name, target, options } = job;
  for (const { sampleType } of cut.info.scenes) {
    if (!sampleType.endsWith('64') || sampleType === 'float64') continue;
    const text = `${name}: OME-TIFF has no type for ${sampleType} samples. Export it as ome-zarr or npy.`;
    throw new OutputError('not_representable', text);
  }
  const xml = describePages(cut, name);
  const file = new StagedFile(target, job.stage);
  return finishStaged(file, job, async () => {
    const sizes = cut.info.scenes.map((scene) => ({ count: countPlanes(scene), bytes: planeBytes(scene) }));
    const isBig = needsBigTiff(sizes, Buffer.byteLength(xml));
    const writer = new TiffWriter(file.sink, { isBig, isCompressed: options.compress !== undefined });
    let isFirst = true;
    for (const [index, scene] of cut.info.scenes.entries()) {
      const page = toPage(scene);
      for (const address of planesOf(cut, index)) {
        writer.add(isFirst ? { ...page, description: xml } : page, await cut.read(address));
        isFirst = false;
        job.onPlane();
      }
    }
    writer.finish();
  });
}

/** Returns the OME-XML. The planes of a scene are on consecutive pages, in the order of its dimensions. */
function describePages({ info }: Cut, name: string): string {
  let page = 0;
  return toOmeXml(info, {
    name: basename(name),
    planes: (scene) => {
      const count = countPlanes(scene);
      const element = `<TiffData IFD="${page}" PlaneCount="${count}"/>`;
      page += count;
      return element;
    },
  });
}

function toPage({ sampleType, sizes, steps: { Y, X } }: SceneInfo): TiffPage {
  const isFrame = Y.unit === 'micrometer' && X.unit === 'micrometer';
  return {
    rows: sizes.Y,
    columns: sizes.X,
    sampleFormat: sampleType.startsWith('uint') ? 1 : sampleType.startsWith('int') ? 2 : 3,
    bits: 8 * SAMPLE_ARRAYS[sampleType].BYTES_PER_ELEMENT,
    // For programs that do not read OME-XML, such as ImageJ without plug-ins.
    ...(isFrame ? { resolution: { x: 1e4 / X.step, y: 1e4 / Y.step } } : {}),
  };
}

function countPlanes({ sizes, channels }: SceneInfo): number {
  return sizes.T * sizes.Z * channels.length;
}

function planeBytes({ sizes, sampleType }: SceneInfo): number {
  return sizes.Y * sizes.X * SAMPLE_ARRAYS[sampleType].BYTES_PER_ELEMENT;
}
