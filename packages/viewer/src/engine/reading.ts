/** The files of one worker, and what is open of them. */

import {
  checkChoice,
  describeOpen,
  type OpenPlan,
  planOpen,
  toOpenResponse,
  type ViewChoice,
} from '@acquisition-store/client/answers/describe.js';
import type { OpenResponse } from '@acquisition-store/client/contract/open.js';
import { AcqError } from '@acquisition-store/readers/base/errors.js';
import { NativeTarget } from '@acquisition-store/readers/model/samples/plane-target.js';
import {
  describePossibleRounding,
  describeRounding,
  findRounding,
  type Rounding,
} from '@acquisition-store/readers/model/samples/rounding.js';
import { bytesPerElement } from '@acquisition-store/readers/model/samples/types.js';
import { type SceneView, selectScene } from '@acquisition-store/readers/model/selection.js';
import { type OpenedFiles, openFiles } from '@acquisition-store/readers/platform-page/open-files.js';
import type { GivenFiles } from '../model/client.ts';
import { JobQueue } from '../model/job-queue.ts';
import { PlaneStore } from './plane-store.ts';
import { PageSession } from './session.ts';

/** The most that browsers allow an array to have. */
const MAX_PLANE_BYTES = 2 ** 31;
/** Larger planes are not read for what they lose as float32. */
const SMALL_PLANE_BYTES = 256 * 2 ** 20;

export class Reading {
  private readonly given: GivenFiles;
  private readonly opened = new Map<string, Promise<OpenedFiles>>();
  private readonly sessions = new Map<string, PageSession>();
  private readonly store = new PlaneStore();
  private readonly reads = new JobQueue();
  private count = 0;

  constructor(given: GivenFiles) {
    this.given = given;
  }

  /** Opens a part of the files. @throws AcqError like an open of the server */
  async open(choice: ViewChoice): Promise<OpenResponse> {
    checkChoice(choice);
    const key = JSON.stringify([choice.interpret, choice.parts === 'all']);
    const { acquisition, name, size } = await this.openedAs(key, choice);
    const view = selectScene(acquisition.info, choice.selection);
    acquisition.checkScene?.(view.sceneIndex);
    const plan = planOpen(view, choice, name, MAX_PLANE_BYTES);
    const rounding = await this.reads.add(() => this.roundingOf(view, plan, acquisition));
    const warnings = rounding === undefined ? plan.warnings : [...plan.warnings, rounding];
    const description = describeOpen(view, { ...plan, warnings }, { path: name, size: size() }, choice);
    this.count += 1;
    // Other programs cannot see it.
    const { zarr: _, ...info } = toOpenResponse(description, `page-${this.count}`, '');
    const { store, reads } = this;
    const session = { acquisition, plan: { ...plan, description }, key, store, reads };
    this.sessions.set(info.sessionId, new PageSession(session, info));
    return info;
  }

  /** @throws AcqError `session_not_found` */
  session(sessionId: string): PageSession {
    const session = this.sessions.get(sessionId);
    if (session) return session;
    throw new AcqError('session_not_found', 'The file is not open any more.');
  }

  close(sessionId: string): void {
    this.sessions.delete(sessionId);
  }

  private openedAs(key: string, { interpret, parts }: ViewChoice): Promise<OpenedFiles> {
    const known = this.opened.get(key);
    if (known) return known;
    const { files, name } = this.given;
    const opened = this.reads.add(() => openFiles(files, { name: name || undefined, interpret, parts }));
    this.opened.set(key, opened);
    opened.catch(() => this.opened.delete(key));
    return opened;
  }

  /** Returns the warning about samples that float32 cannot hold. */
  private async roundingOf(
    { scene }: SceneView,
    { scene: index, t, z, planes, projection }: OpenPlan,
    acquisition: OpenedFiles['acquisition'],
  ): Promise<string | undefined> {
    const { sampleType, sizes } = scene;
    const possible = describePossibleRounding(sampleType);
    const bytes = sizes.Y * sizes.X * bytesPerElement(sampleType);
    if (possible === undefined || projection || bytes > SMALL_PLANE_BYTES) return possible;
    let found: Rounding | undefined;
    for (const channel of planes.channelIndices) {
      const target = new NativeTarget(sampleType, sizes.Y, sizes.X);
      await acquisition.readPlane({ scene: index, channel, t, z }, target);
      const block = { samples: target.data, offset: 0, rowStride: sizes.X, columnStride: 1 };
      found = findRounding(block, sizes.Y, sizes.X, found);
    }
    return found && describeRounding(found);
  }
}
