import type { Channel, OpenResponse, Plane } from './contract/open.js';
import { AcqClientError } from './errors.js';

/**
 * Returns an open response after checking it.
 * @throws AcqClientError when its sizes or addresses are inconsistent
 */
export function checkInfo(info: OpenResponse): OpenResponse {
  checkPlanes(info.plane, info.channels, info.sessionId);
  if (info.reference) checkPlanes(info.reference.plane, info.reference.channels, info.sessionId);
  return info;
}

function checkPlanes({ shape }: Plane, channels: readonly Channel[], sessionId: string): void {
  const [rows = 0, columns = 0] = shape;
  for (const { name, byteLength, dataUrl } of channels) {
    if (byteLength !== rows * columns * 4) {
      const expected = `expected ${rows * columns * 4} bytes for ${rows} × ${columns} samples`;
      throw new AcqClientError('wrong_length', `${name}: the server reports ${byteLength} bytes; ${expected}.`);
    }
    // The token is sent to this address.
    if (!dataUrl.startsWith(`/api/v2/sessions/${sessionId}/`)) {
      throw new AcqClientError('not_this_server', `${name}: the data URL ${dataUrl} is outside of the session.`);
    }
  }
}
