const LITTLE_ENDIAN = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1;

/** Returns the samples as little-endian bytes, without a copy on little-endian machines. */
export function littleEndianBytes(data: Float32Array): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(data.buffer as ArrayBuffer, data.byteOffset, data.byteLength);
  if (LITTLE_ENDIAN) return bytes;
  const swapped = bytes.slice();
  const view = new DataView(swapped.buffer);
  for (let i = 0; i < data.length; i++) view.setFloat32(i * 4, data[i]!, true);
  return swapped;
}
