/** Ways to open a file other than by its path: the file dialog, folders in the page, and files that are dropped on it. */
import { type Capabilities, hasCode } from '@acquisition-store/client';
import type { Attempts } from '../app/attempts.ts';
import { isAbort, type Notices } from '../app/notices.ts';
import { OPEN_CHOICE } from '../app/open-request.ts';
import { looksLikePath } from '../app/path-text.ts';
import type { Server } from '../app/server.ts';
import type { Tab } from '../app/tab.ts';
import type { Tabs } from '../app/tabs.ts';
import type { Task, Tasks } from '../app/tasks.ts';
import type { Engine, GivenFiles, OpenedAcquisition } from '../model/client.ts';
import { type ChosenKind, chooseFiles } from './choose-files.ts';
import { type DroppedFile, type DroppedGroup, groupDropped, knownFile } from './dropped.ts';
import { createFilePictures, type FilePictures } from './file-pictures.ts';
import { createFolders, type Folders } from './folders.ts';
import { createRecordings, type Recordings } from './recordings.ts';

type WayIn = Capabilities['opening'][number];

export interface WaysIn {
  readonly folders: Folders;
  /** Small pictures of the files in a folder. */
  readonly pictures: FilePictures;
  /** What is in the recordings of a folder. */
  readonly recordings: Recordings;
  /** True when the server offers this way to this page. */
  offers(way: WayIn): boolean;
  /** Shows the folders of the server's computer. */
  browse(): void;
  /** Shows a folder whose path was entered as that of a file. Returns false when it is not one. */
  browseTo(path: string): Promise<boolean>;
  /** Opens what the user picks in the file dialog, or shows the folders where there is none. */
  pick(kind: 'file' | 'folder'): Promise<boolean>;
  /** Opens given files: those that the server finds on its disk by their path; the page reads the others itself. */
  openDropped(dropped: Promise<readonly DroppedFile[]>): Promise<void>;
  /** Opens what the user chooses in the dialog of the browser, which lists the files of the user's computer. */
  choose(kind: ChosenKind): Promise<void>;
  /** Sends files to the server, for programs that read it, and opens them there. */
  send(given: GivenFiles): Promise<boolean>;
  /** Opens the file after or before the shown one in its folder, in place of it. */
  openNeighbor(step: 1 | -1): Promise<void>;
  /** Path of the shown file; null without one, and for a file that was sent. */
  shownPath(): string | null;
}

interface WaysInParts {
  readonly server: Server;
  readonly tabs: Tabs;
  readonly tasks: Tasks;
  readonly attempts: Attempts;
  readonly notices: Notices;
  show(acquisition: OpenedAcquisition, task: Task): Promise<void>;
  open(request: { path: string }): Promise<boolean>;
  showFolders(): void;
}

/** Acquisitions of one drop: each becomes a tab. */
const MAX_GROUPS = 8;

export function createWaysIn(parts: WaysInParts): WaysIn {
  const { server, tabs, tasks, attempts, notices, show } = parts;
  const { client } = server;
  let isStepping = false;

  const ways: WaysIn = {
    folders: createFolders(client),
    pictures: createFilePictures(client, tasks),
    recordings: createRecordings(client, tasks),
    offers(way) {
      const capabilities = server.info.value?.capabilities;
      return capabilities ? (capabilities.opening ?? ['path', 'picker']).includes(way) : way === 'picker';
    },
    browse: parts.showFolders,
    async browseTo(path) {
      if (!ways.offers('folders') || !(await ways.folders.prepare(path))) return false;
      notices.dismiss();
      ways.browse();
      return true;
    },
    async pick(kind) {
      if (!server.isThere) {
        await ways.choose(kind);
        return true;
      }
      if (!ways.offers('picker') && ways.offers('folders')) {
        ways.browse();
        return true;
      }
      return attempts.run("The file dialog is open on the server's computer", async (task) => {
        const acquisition = await client
          .pick({ kind, ...OPEN_CHOICE }, { signal: task.signal })
          .catch((error: unknown) => {
            if (!hasCode(error, 'picker_unavailable') || !ways.offers('folders')) throw error;
            ways.browse();
            return null;
          });
        if (acquisition === null) return;
        task.label.value = `Opening ${acquisition.info.source.name}`;
        await show(acquisition, task);
      });
    },
    async openDropped(dropped) {
      const extensions = server.info.value?.capabilities.allowedImportExtensions ?? [];
      const files = await dropped.catch((error: unknown) => {
        notices.report(error, 'The files cannot be read');
        return [];
      });
      const { groups, refused } = groupDropped(files, extensions);
      if (refused.length > 0) refuse(refused, server.isThere ? 'server' : 'page', notices);
      await Promise.all(groups.slice(0, MAX_GROUPS).map((group) => openGroup(group, extensions)));
    },
    choose: (kind) => ways.openDropped(chooseFiles(kind)),
    send(given) {
      const { name } = given;
      const again = () => void ways.send(given);
      const open = async (task: Task) => {
        const onProgress = ({ received, total }: { received: number; total: number }) => {
          task.progress.value = received < total ? { received, total } : null;
          if (received >= total) task.label.value = `Opening ${name}`;
        };
        const acquisition = await client.upload(given, OPEN_CHOICE, { signal: task.signal, onProgress });
        task.progress.value = null;
        await show(acquisition, task);
      };
      return attempts.run(`Sending ${name} to the server`, open, again);
    },
    async openNeighbor(step) {
      const before = tabs.active.value;
      if (!before || isStepping || !ways.offers('folders')) return;
      isStepping = true;
      try {
        await openBeside(before, step);
      } catch (error) {
        notices.report(error);
      } finally {
        isStepping = false;
      }
    },
    shownPath() {
      const path = tabs.active.value?.document.info.value.source.path ?? '';
      return looksLikePath(path) ? path : null;
    },
  };

  async function openGroup(group: DroppedGroup, extensions: readonly string[]): Promise<void> {
    const { name } = group;
    const again = () => void openGroup(group, extensions);
    const open = async (task: Task) => {
      const path = ways.offers('locate') ? await findOnDisk(group, extensions, client, task.signal) : undefined;
      task.label.value = `Opening ${name}`;
      const acquisition =
        path === undefined
          ? await readHere(group, task)
          : await client.open({ path, ...OPEN_CHOICE }, { signal: task.signal });
      await show(acquisition, task);
    };
    await attempts.run(`Looking for ${name}`, open, again);
  }

  async function readHere(group: DroppedGroup, task: Task): Promise<OpenedAcquisition> {
    const { openInPage } = await import('../engine/page-engine.ts');
    return openInPage(group, OPEN_CHOICE, { signal: task.signal });
  }

  async function openBeside(before: Tab, step: 1 | -1): Promise<void> {
    const { source } = before.document.info.value;
    if (!looksLikePath(source.path)) {
      const of = before.document.opened.value.given ? 'is read in this page' : 'was sent to the server';
      notices.show({ message: `${source.name} ${of}, which does not know its folder.` });
      return;
    }
    const next = await ways.folders.neighbor(source, step);
    if (next === null) {
      notices.show({ message: `${source.name} is the ${step > 0 ? 'last' : 'first'} file in its folder.` });
      return;
    }
    const opened = await parts.open({ path: next.path });
    if (opened && tabs.active.value !== before) tabs.close(before);
  }
  return ways;
}

/** Returns the path of a file like the dropped one; nothing when the server cannot tell. */
async function findOnDisk(
  group: DroppedGroup,
  extensions: readonly string[],
  client: Engine,
  signal: AbortSignal,
): Promise<string | undefined> {
  const file = knownFile(group, extensions);
  if (!file) return undefined;
  try {
    const [path] = await client.locate({ name: file.name, size: file.size, modified: file.lastModified }, { signal });
    return path;
  } catch (error) {
    if (isAbort(error)) throw error;
    return undefined;
  }
}

function refuse(names: readonly string[], by: 'server' | 'page', notices: Notices): void {
  const [first = ''] = names;
  const others = names.length > 1 ? ` (and ${names.length - 1} more)` : '';
  notices.show({
    kind: 'error',
    message: `${first}${others}: not a file that this ${by} can open.`,
    hint: 'The start page lists the supported formats.',
  });
}
