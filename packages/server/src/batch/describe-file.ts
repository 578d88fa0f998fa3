import { basename } from 'node:path';
import { describeOpen, planOpen, type ViewChoice } from '@acquisition-store/client/answers/describe.js';
import type { OpenDescription } from '@acquisition-store/client/contract/open.js';
import { MetadataList } from '@acquisition-store/readers/model/metadata-list.js';
import { selectScene } from '@acquisition-store/readers/model/selection.js';
import { openAcquisition } from '../open.js';
import { defaultOptions } from '../options.js';

/** What is described in addition to the response of an open. */
export interface DescribeOptions {
  /** Adds `source.metadata`. */
  metadata?: boolean;
}

/**
 * Returns what the server would answer about a file. Reads metadata but no pixels.
 * @throws AcqError of `openAcquisition`, `selection_out_of_range`, `plane_too_large`, `unsupported_format` for planes
 * that cannot be decoded
 */
export async function describeFile(
  path: string,
  choice: ViewChoice,
  { metadata = false }: DescribeOptions = {},
): Promise<OpenDescription> {
  const opened = await openAcquisition(path, { interpret: choice.interpret, parts: choice.parts });
  try {
    const { info } = opened.acquisition;
    const view = selectScene(info, choice.selection);
    opened.acquisition.checkScene?.(view.sceneIndex);
    const name = basename(opened.path);
    const plan = planOpen(view, choice, name, defaultOptions().maxPlaneBytes);
    const description = describeOpen(view, plan, { path: opened.path, size: opened.size() }, choice);
    if (!metadata) return description;
    const list = new MetadataList();
    await opened.acquisition.listMetadata?.(view.sceneIndex, list);
    return { ...description, source: { ...description.source, metadata: list.result() } };
  } finally {
    opened.close();
  }
}
