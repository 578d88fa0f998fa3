import { type Samples, toFloat32 } from '../model/samples.ts';

const LITTLE_ENDIAN = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1;

/** Returns the samples as bytes of little-endian float32, without a copy of float32 on little-endian machines. */
export function littleEndianBytes(samples: Samples): Uint8Array<ArrayBuffer> {
  const data = toFloat32(samples);
  const bytes = new Uint8Array(data.buffer as ArrayBuffer, data.byteOffset, data.byteLength);
  if (LITTLE_ENDIAN) return bytes;
  const swapped = bytes.slice();
  const view = new DataView(swapped.buffer);
  for (let i = 0; i < data.length; i++) view.setFloat32(i * 4, data[i]!, true);
  return swapped;
}
