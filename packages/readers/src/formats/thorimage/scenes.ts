import type { NamedPlane, PlaneAddress, PlaneColumns, SceneInfo } from '../../model/acquisition.js';
import type { PlaneTarget } from '../../model/samples/plane-target.js';

/** The scenes of a recording, with what reads them. */
export interface ThorScenes {
  scenes: SceneInfo[];
  /** Names of the files with samples. */
  names: readonly string[];
  /** Finds the first plane of a file. */
  find(name: string): NamedPlane | undefined;
  readPlane(address: PlaneAddress, target: PlaneTarget, signal?: AbortSignal): void | Promise<void>;
  readPlaneColumns(scene: number): PlaneColumns;
  scratchBytes: number;
  /** @throws AcqError `unsupported_format` */
  checkScene(): void;
  /** Rows, or compressed strips, of a plane. */
  bands(scene: number): number;
}
