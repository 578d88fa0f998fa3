import { expect } from 'vitest';
import type { SceneInfo } from '../../packages/readers/src/model/acquisition.js';
import type { OpenedAcquisition } from '../../packages/server/src/open.js';
import { ArrayFacts, interleave, readNative, sceneOf } from './native.js';
import type { ExpectedImage } from './samples.js';

/**
 * Reads the whole array of an expected image from a scene of ours, in the order of the expected axes, and returns its
 * facts. Leading axes of the independent reader map to C, T and Z by letter; axes that it could not name (`I`, `Q`)
 * map to whichever of ours has that size. Samples (`S`) are our channels.
 */
export async function factsOfImage(
  opened: OpenedAcquisition,
  scene: number,
  image: ExpectedImage,
): Promise<ArrayFacts> {
  const info = sceneOf(opened, scene);
  const facts = new ArrayFacts();
  const axes = splitAxes(image, info);
  for (const index of indices(axes.leading.map(({ size }) => size))) {
    const address = { t: 0, z: 0, channel: 0 };
    axes.leading.forEach(({ ours, stride }, i) => {
      address[ours] += (index[i] as number) * stride;
    });
    if (axes.interleaved > 1) {
      const parts = [];
      for (let s = 0; s < axes.interleaved; s++) {
        parts.push(await readNative(opened, scene, { ...address, channel: address.channel + s }));
      }
      facts.add(interleave(parts), info.sampleType);
    } else {
      facts.add(await readNative(opened, scene, address), info.sampleType);
    }
  }
  return facts;
}

interface LeadingAxis {
  size: number;
  ours: 't' | 'z' | 'channel';
  stride: number;
}

function splitAxes(image: ExpectedImage, info: SceneInfo): { leading: LeadingAxis[]; interleaved: number } {
  const letters = image.axes.length === image.shape.length ? image.axes : `${image.axes}YX`;
  const dims = [...letters].map((letter, i) => ({ letter, size: image.shape[i] as number }));
  let interleaved = 1;
  if (dims.at(-1)?.letter === 'S') interleaved = dims.pop()?.size ?? 1;
  const columns = dims.pop();
  const rows = dims.pop();
  if (rows?.size !== info.sizes.Y || columns?.size !== info.sizes.X) {
    throw new Error(`plane is ${info.sizes.Y}×${info.sizes.X}, expected ${rows?.size}×${columns?.size}`);
  }
  const leading = dims
    .flatMap((dim) => pageAxes(dim, info))
    .map(({ letter, size }) => ({ size, ours: ourAxis(letter, size, info), stride: 1 }));
  // Several axes on one of ours: the last one is the fastest; interleaved samples are faster still.
  const strides = { t: 1, z: 1, channel: interleaved };
  for (const axis of [...leading].reverse()) {
    axis.stride = strides[axis.ours];
    strides[axis.ours] *= axis.size;
  }
  const whole = { t: info.sizes.T, z: info.sizes.Z, channel: info.channels.length };
  for (const name of ['t', 'z', 'channel'] as const) {
    if (strides[name] !== whole[name]) throw new Error(`${name} has ${whole[name]} entries, expected ${strides[name]}`);
  }
  return { leading, interleaved };
}

/** An axis of nothing but pages, where we know what they are: T, Z, and channels as the fastest. */
function pageAxes(dim: { letter: string; size: number }, { sizes, channels }: SceneInfo) {
  const known = [sizes.T, sizes.Z, channels.length].filter((size) => size > 1).length > 1;
  if (dim.letter !== 'I' || !known || dim.size !== sizes.T * sizes.Z * channels.length) return [dim];
  return [
    { letter: 'T', size: sizes.T },
    { letter: 'Z', size: sizes.Z },
    { letter: 'C', size: channels.length },
  ];
}

function ourAxis(letter: string, size: number, info: SceneInfo): LeadingAxis['ours'] {
  if (letter === 'T') return 't';
  if (letter === 'Z') return 'z';
  if (letter === 'C' || letter === 'S' || letter === 'H') return 'channel';
  if (info.sizes.Z === size) return 'z';
  return info.sizes.T === size ? 't' : 'channel';
}

/** Every fact of an array, as the independent reader has it. */
export function expectFacts(facts: ArrayFacts, image: ExpectedImage): void {
  expect([facts.min, facts.max, facts.sum, facts.digest()]).toEqual([
    image.min,
    image.max,
    image.sum,
    image.sha256_le_c,
  ]);
}

/** All index tuples of a shape, last index fastest. */
function* indices(shape: number[]): Generator<number[]> {
  const total = shape.reduce((product, size) => product * size, 1);
  for (let n = 0; n < total; n++) {
    const index: number[] = new Array(shape.length);
    let rest = n;
    for (let i = shape.length - 1; i >= 0; i--) {
      const size = shape[i] as number;
      index[i] = rest % size;
      rest = Math.floor(rest / size);
    }
    yield index;
  }
}
