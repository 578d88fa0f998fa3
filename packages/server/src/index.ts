/** Public API of the package. */
import { defaultOptions, type ServerOptions } from './options.js';
import type { RunningServer } from './server/listen.js';
import { type ServerParts, startServer } from './server/start.js';

export type { CalibrationOverride } from '@acquisition-store/client/contract/calibration.js';
export type { Capabilities, Examples, Health, Index } from '@acquisition-store/client/contract/common.js';
export type { ErrorEnvelope } from '@acquisition-store/client/contract/error.js';
export type {
  Cancelled,
  Channel,
  Header,
  OpenRequest,
  OpenResponse,
  PickAndOpenRequest,
  Plane,
  Reference,
  Selection,
} from '@acquisition-store/client/contract/open.js';
export type { DeleteResult, SessionStatus } from '@acquisition-store/client/contract/session.js';
export { AcqError, type ErrorCode, type ValidationDetail } from '@acquisition-store/readers/base/errors.js';
export type {
  Acquisition,
  AcquisitionInfo,
  ChannelInfo,
  PlaneAddress,
  ReferenceInfo,
  SceneInfo,
  Step,
  StepOrigin,
  Unit,
} from '@acquisition-store/readers/model/acquisition.js';
export {
  Float32Target,
  NativeTarget,
  type PlaneTarget,
} from '@acquisition-store/readers/model/samples/plane-target.js';
export type { SampleType } from '@acquisition-store/readers/model/samples/types.js';
export type { InputOptions as OpenOptions } from '@acquisition-store/readers/open/open-input.js';
export { type OpenedAcquisition, openAcquisition } from './open.js';
export type { ServerOptions } from './options.js';
export type { Picker, PickRequest, PickResult } from './picker/types.js';
export type { OpenSessions, RunningServer } from './server/listen.js';
export type { ServerParts } from './server/start.js';
export type { ListedSession, SessionList } from './sessions/listing.js';
export type { SessionClient } from './sessions/types.js';

/**
 * Starts a server; what `options` leaves out has the defaults of the command line (`127.0.0.1:8767`, 600 s, …).
 * `port: 0` takes any free port: `port` and `url` of the result tell which.
 * @throws AcqError `request_validation_failed` for options that are wrong or unsafe; the system's error when the port
 * cannot be had
 */
export function createServer(options: Partial<ServerOptions> = {}, parts: ServerParts = {}): Promise<RunningServer> {
  return startServer({ ...defaultOptions(), ...options }, parts);
}
