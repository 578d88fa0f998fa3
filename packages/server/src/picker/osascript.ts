import { type Dialog, type DialogOutcome, type DialogRequest, failed } from './dialog.js';
import { jsonOutcome } from './json-outcome.js';
import { describeEnd, dialogEnv, type Ended } from './process.js';
import { runDialog } from './program.js';

/** macOS: NSOpenPanel, shown by a JavaScript for Automation script in a separate process. */
export function osascript(env: NodeJS.ProcessEnv): Dialog {
  return {
    name: 'osascript',
    async show(request, signal) {
      const options = { env: dialogEnv(env), signal };
      return runDialog('/usr/bin/osascript', osascriptArgs(request), options, osascriptOutcome);
    },
  };
}

/** Returns the arguments. The request is an argument of the script, never part of its text. */
export function osascriptArgs({ title, kind, extensions, folder }: DialogRequest): string[] {
  // NSOpenPanel supports only the last part of an extension.
  const types =
    kind === 'folder'
      ? []
      : [...new Set(extensions.map((extension) => extension.slice(extension.lastIndexOf('.') + 1)))];
  return ['-l', 'JavaScript', '-e', OPEN_PANEL_SCRIPT, JSON.stringify({ title, kind, types, folder })];
}

export function osascriptOutcome(ended: Ended): DialogOutcome {
  const { code, stdout, stderr } = ended;
  if (code === 0) return jsonOutcome(stdout);
  // AppleEvent error -128 is userCanceledErr.
  if (/\(-128\)/.test(stderr)) return { status: 'cancelled' };
  return failed(describeEnd(ended));
}

/**
 * `allowedFileTypes = nil` allows every file. The pop-up below the list switches between the filter and all files. If
 * it cannot be created, every file is allowed.
 */
export const OPEN_PANEL_SCRIPT = `
ObjC.import('AppKit');
function addFilter(panel, types) {
  ObjC.registerSubclass({
    name: 'AcqstoreFilter',
    methods: {
      'changed:': {
        types: ['void', ['id']],
        implementation: function (popup) {
          panel.allowedFileTypes = popup.indexOfSelectedItem == 0 ? $(types) : $();
        },
      },
    },
  });
  const popup = $.NSPopUpButton.alloc.initWithFramePullsDown($.NSMakeRect(0, 0, 240, 28), false);
  popup.addItemWithTitle('Acquisitions');
  popup.addItemWithTitle('All files');
  const target = $.AcqstoreFilter.alloc.init;
  popup.target = target;
  popup.action = 'changed:';
  panel.accessoryView = popup;
  panel.accessoryViewDisclosed = true;
  panel.allowedFileTypes = $(types);
  return target;
}
function run(argv) {
  const request = JSON.parse(argv[0]);
  const app = $.NSApplication.sharedApplication;
  app.setActivationPolicy($.NSApplicationActivationPolicyAccessory);
  const panel = $.NSOpenPanel.openPanel;
  panel.title = request.title;
  panel.message = request.title;
  panel.canChooseFiles = request.kind === 'file';
  panel.canChooseDirectories = request.kind === 'folder';
  panel.allowsMultipleSelection = false;
  panel.treatsFilePackagesAsDirectories = true;
  panel.directoryURL = $.NSURL.fileURLWithPath(request.folder);
  let target;
  if (request.types.length > 0) {
    try {
      target = addFilter(panel, request.types);
    } catch (error) {
      panel.allowedFileTypes = $();
    }
  }
  panel.level = $.NSModalPanelWindowLevel;
  app.activateIgnoringOtherApps(true);
  if (panel.runModal != $.NSModalResponseOK) return JSON.stringify({ cancelled: true });
  return JSON.stringify({ path: ObjC.unwrap(panel.URL.path) });
}`;
