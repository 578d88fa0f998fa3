import type { Channel, OpenResponse, Plane } from '#contract/open.js';
import { AcqClientError } from './errors.js';

/** @throws AcqClientError when the sizes that an open response announces contradict each other */
export function checkInfo(info: OpenResponse): OpenResponse {
  checkPlanes(info.plane, info.channels, info.sessionId);
  if (info.reference) checkPlanes(info.reference.plane, info.reference.channels, info.sessionId);
  return info;
}

function checkPlanes({ shape }: Plane, channels: readonly Channel[], sessionId: string): void {
  const [rows = 0, columns = 0] = shape;
  for (const { name, byteLength, dataUrl } of channels) {
    if (byteLength !== rows * columns * 4) {
      const message = `${name}: ${byteLength} bytes are announced for ${rows} × ${columns} samples.`;
      throw new AcqClientError('wrong_length', message);
    }
    // The token goes where this address points.
    if (!dataUrl.startsWith(`/api/v2/sessions/${sessionId}/`)) {
      throw new AcqClientError('not_this_server', `${name}: its data would be at ${dataUrl}, outside of the session.`);
    }
  }
}
