/** Typed client of Acquisition Store Server for browsers, workers and Node: `acquisition-store/client`. */

export type { ErrorCode, ValidationDetail } from '@acquisition-store/readers/base/errors.js';
export type { CallOptions, NativeOptions, OpenedAcquisition, ReadOptions } from './acquisition.js';
export type {
  NativeArray,
  OverviewChoice,
  PlaneArray,
  PlanePlace,
  PlaneWindow,
  ProfileArrays,
  ProfileChoice,
  ProfileResponse,
  Statistics,
  StatisticsChoice,
  TracesChoice,
  WindowChoice,
} from './analysis.js';
export type { OpenChoice, SelectChoice } from './choice.js';
export { type AcqClient, type ClientOptions, createClient, type FolderOptions } from './client.js';
export type { ConnectionCause, ConnectionReport } from './connection.js';
export type { CalibrationOverride } from './contract/calibration.js';
export type { Capabilities, Examples, Health, Index, SignedIn } from './contract/common.js';
export type { Folder, FolderEntry, LocateRequest } from './contract/files.js';
export type {
  Channel,
  Header,
  OpenRequest,
  OpenResponse,
  PickAndOpenRequest,
  Plane,
  Reference,
  Selection,
} from './contract/open.js';
export type { DescribedRecording, RecordingDetails } from './contract/recordings.js';
export type { SessionStatus } from './contract/session.js';
export { AcqClientError, type ClientErrorCode, hasCode } from './errors.js';
export type { AcquisitionEvent } from './events.js';
export type { MeasuredValues, PlaneColumns } from './measured.js';
export type { NativeSamples, Progress } from './plane-body.js';
export type { UploadSource } from './upload.js';
