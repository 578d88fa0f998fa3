/** OME-Zarr: what the server sends, written to disk; one scene at the root, where every program looks. */

import { existsSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { subjectFirst } from '@acquisition-store/readers/base/wording.js';
import { planesOf } from '@acquisition-store/readers/derive/writers/cut.js';
import { describeScenes } from '@acquisition-store/readers/derive/writers/ome-tiff.js';
import { inOnePiece, readChunk } from '@acquisition-store/readers/derive/zarr/chunk.js';
import { type ChannelRange, planeRange } from '@acquisition-store/readers/derive/zarr/display.js';
import {
  chunkShape,
  referenceImage,
  sceneImage,
  storedGroup,
  type ZarrImage,
} from '@acquisition-store/readers/derive/zarr/images.js';
import { chunkKey } from '@acquisition-store/readers/derive/zarr/keys.js';
import { halve } from '@acquisition-store/readers/derive/zarr/levels.js';
import { documentText, GZIP_LEVEL, storedDocuments } from '@acquisition-store/readers/derive/zarr/tree.js';
import type { ZarrVersion } from '@acquisition-store/readers/derive/zarr/versions.js';
import type { PlaneAddress } from '@acquisition-store/readers/model/acquisition.js';
import type { SampleArray } from '@acquisition-store/readers/model/samples/types.js';
import { FileSink } from './sink.js';
import { finishStaged, StagedFolder } from './staged.js';
import type { WriteJob } from './types.js';

const DEFAULT_VERSION = '0.5';
/** Characters of the `Plane` elements; the reader's limit for a document is twice that. */
const MAX_PLANE_TEXT = 2 ** 25;

export async function writeOmeZarr(job: WriteJob): Promise<string> {
  const { cut, name, fileSize, target, options } = job;
  const version = options.zarr ?? DEFAULT_VERSION;
  const folder = new StagedFolder(target, job.stage, isZarr);
  const planes = await describePlanes(job);
  return finishStaged(folder, job, async () => {
    const tree = new TreeWriter(folder, job, version);
    const ranges = new Map<string, (ChannelRange | undefined)[]>();
    for (const scene of cut.info.scenes.keys()) {
      const group = storedGroup(cut.info, scene);
      const image = sceneImage(cut.info, scene, group)!;
      ranges.set(image.path, await writeScene(tree, image, job));
      const reference = referenceImage(cut.info, scene, group);
      if (reference) ranges.set(reference.path, await writeReference(tree, reference, job));
    }
    // Documents come last: without them a reader finds nothing.
    const details = { name, fileSize, ranges, planes, ...(options.compress ? { compress: options.compress } : {}) };
    for (const [key, document] of storedDocuments(cut.info, version, details)) {
      tree.write(key, Buffer.from(typeof document === 'string' ? document : `${documentText(document, 2)}\n`));
    }
  });
}

/** Returns the `Plane` elements of each scene; none when they would make a document that takes long to read. */
async function describePlanes(job: WriteJob): Promise<string[]> {
  const planes = await describeScenes(job);
  if (planes.reduce((sum, { length }) => sum + length, 0) <= MAX_PLANE_TEXT) return planes;
  job.notes.add(
    subjectFirst(
      job.name,
      'the times and positions of planes are too many for the OME-XML; those of the axes are kept.',
    ),
  );
  return [];
}

/** Writes all planes. Returns the display range of each channel, of its middle plane, unless the file has one. */
async function writeScene(tree: TreeWriter, image: ZarrImage, job: WriteJob): Promise<(ChannelRange | undefined)[]> {
  const ranges: (ChannelRange | undefined)[] = [];
  const [middleT, middleZ] = [image.sizes.T >> 1, image.sizes.Z >> 1];
  for (const address of planesOf(job.cut, image.scene)) {
    const samples = await job.cut.read(address);
    const isShown = address.t === middleT && address.z === middleZ && !image.channels[address.channel]?.window;
    if (isShown) ranges[address.channel] = planeRange(inOnePiece(samples));
    tree.writePlane(image, address, samples);
    job.onPlane();
  }
  return ranges;
}

async function writeReference(
  tree: TreeWriter,
  image: ZarrImage,
  { cut }: WriteJob,
): Promise<(ChannelRange | undefined)[]> {
  const ranges: (ChannelRange | undefined)[] = [];
  for (const [channel, { window }] of image.channels.entries()) {
    const samples = await cut.readReference(image.scene, channel);
    ranges.push(window ? undefined : planeRange(inOnePiece(samples)));
    tree.writePlane(image, { t: 0, channel, z: 0 }, samples);
  }
  return ranges;
}

class TreeWriter {
  private readonly folder: StagedFolder;
  private readonly job: WriteJob;
  private readonly version: ZarrVersion;
  /** Folder of the last file: chunks come in runs. */
  private lastFolder = '';

  constructor(folder: StagedFolder, job: WriteJob, version: ZarrVersion) {
    this.folder = folder;
    this.job = job;
    this.version = version;
  }

  /** Writes the chunks of a plane and of its reduced levels. */
  writePlane(image: ZarrImage, { t, channel, z }: Omit<PlaneAddress, 'scene'>, plane: SampleArray): void {
    let samples = plane;
    for (const [level, shape] of image.levels.entries()) {
      const above = image.levels[level - 1];
      if (above) samples = halve(samples, above.rows, above.columns);
      const chunk = chunkShape(shape);
      for (let row = 0; row * chunk.rows < shape.rows; row++) {
        for (let column = 0; column * chunk.columns < shape.columns; column++) {
          const place = { level, t, channel, z, row, column };
          this.writeChunk(chunkKey(image, this.version, place), readChunk(image, place, inOnePiece(samples)));
        }
      }
    }
    this.folder.keepAlive();
  }

  write(key: string, ...parts: Uint8Array[]): void {
    const path = join(this.folder.partial, key);
    const parent = dirname(path);
    if (parent !== this.lastFolder) mkdirSync(parent, { recursive: true });
    this.lastFolder = parent;
    const sink = new FileSink(path, this.job.stage.onPiece);
    try {
      for (const part of parts) sink.write(part);
    } finally {
      sink.close();
    }
  }

  private writeChunk(key: string, views: Uint8Array[]): void {
    if (this.job.options.compress) this.write(key, gzipSync(Buffer.concat(views), { level: GZIP_LEVEL }));
    else this.write(key, ...views);
  }
}

/** True for a folder that is a Zarr hierarchy, which `--overwrite` may replace. */
function isZarr(path: string): boolean {
  return ['zarr.json', '.zgroup'].some((name) => existsSync(join(path, name)));
}
