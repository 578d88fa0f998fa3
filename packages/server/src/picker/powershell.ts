import { win32 } from 'node:path';
import { windowsFolder } from '../state-folder.js';
import {
  ALL_FILES,
  type Dialog,
  type DialogOutcome,
  type DialogRequest,
  FILTER_NAME,
  failed,
  unavailable,
} from './dialog.js';
import { jsonOutcome } from './json-outcome.js';
import { describeEnd, dialogEnv, type Ended } from './process.js';
import { runDialog } from './program.js';
import type { PickKind } from './types.js';

/** Variable with the request for the script. PowerShell reads the environment as UTF-16, which preserves every name. */
export const REQUEST_VARIABLE = 'ACQSTORE_DIALOG_REQUEST';

/** Windows: the open dialogs for files and folders, shown by a PowerShell script in a separate process. */
export function powershell(env: NodeJS.ProcessEnv): Dialog {
  return {
    name: 'PowerShell',
    async show(request, signal) {
      const options = { env: { ...dialogEnv(env), [REQUEST_VARIABLE]: powershellRequest(request) }, signal };
      return runDialog(powershellPath(env), powershellArgs(request.kind), options, powershellOutcome);
    },
  };
}

/**
 * Returns the full path of Windows PowerShell 5.1, which has Windows Forms. Without the full path, a `powershell.exe`
 * in the current folder could run.
 */
export function powershellPath(env: NodeJS.ProcessEnv): string {
  return win32.join(windowsFolder(env), 'System32', 'WindowsPowerShell', 'v1.0', 'powershell.exe');
}

/** Returns the request as JSON for the environment variable, so that no part of it becomes script text. */
export function powershellRequest({ title, extensions, folder }: DialogRequest): string {
  const patterns = extensions.map((extension) => `*${extension}`).join(';');
  const filter = [...(patterns ? [`${FILTER_NAME}|${patterns}`] : []), `${ALL_FILES}|*.*`].join('|');
  return JSON.stringify({ title, folder, filter });
}

export function powershellOutcome(ended: Ended): DialogOutcome {
  if (ended.code === 0) return jsonOutcome(ended.stdout);
  return ended.code === NO_DESKTOP ? unavailable(describeEnd(ended)) : failed(describeEnd(ended));
}

/** Exit code of the scripts in a session that cannot show windows. */
const NO_DESKTOP = 3;

/** Reads the request. The dialog needs an owner on top, or it would open behind the browser. */
const SCRIPT_START = `
$ErrorActionPreference = 'Stop'
$ProgressPreference = 'SilentlyContinue'
[Console]::OutputEncoding = New-Object System.Text.UTF8Encoding $false
if (-not [Environment]::UserInteractive) {
  [Console]::Error.WriteLine('this session has no desktop')
  exit ${NO_DESKTOP}
}
$request = $env:${REQUEST_VARIABLE} | ConvertFrom-Json
Add-Type -AssemblyName System.Windows.Forms
[System.Windows.Forms.Application]::EnableVisualStyles()
$owner = New-Object System.Windows.Forms.Form -Property @{ TopMost = $true; ShowInTaskbar = $false; Opacity = 0; StartPosition = 'CenterScreen' }
$owner.Show()
$owner.Activate()
`;

const SCRIPT_END = `
$owner.Dispose()
if ($path) { $result = @{ path = $path } } else { $result = @{ cancelled = $true } }
[Console]::Out.Write(($result | ConvertTo-Json -Compress))
`;

export const OPEN_FILE_SCRIPT = `${SCRIPT_START}
$dialog = New-Object System.Windows.Forms.OpenFileDialog
$dialog.Title = $request.title
$dialog.Filter = $request.filter
$dialog.InitialDirectory = $request.folder
$dialog.Multiselect = $false
$dialog.CheckFileExists = $true
$dialog.DereferenceLinks = $true
$path = $null
if ($dialog.ShowDialog($owner) -eq [System.Windows.Forms.DialogResult]::OK) { $path = $dialog.FileName }
${SCRIPT_END}`;

/**
 * C# source for the folder dialog of Windows Vista and later, for which Windows Forms of .NET Framework has no class.
 * Interfaces list their methods in the order of the system; methods that are not called have no parameters.
 */
export const FOLDER_DIALOG_SOURCE = [
  'using System; using System.Runtime.InteropServices;',
  'public static class AcqstoreFolderDialog {',
  '[ComImport, Guid("DC1C5A9C-E88A-4DDE-A5A1-60F82A20AEF7")] class FileOpenDialog { }',
  '[ComImport, Guid("42F85136-DB7E-439C-85F1-E4075D135FC8"), InterfaceType(ComInterfaceType.InterfaceIsIUnknown)]',
  'interface IFileDialog { [PreserveSig] int Show(IntPtr owner);',
  'void SetFileTypes(); void SetFileTypeIndex(); void GetFileTypeIndex(); void Advise(); void Unadvise();',
  'void SetOptions(uint options); void GetOptions(out uint options);',
  'void SetDefaultFolder(); void SetFolder(IShellItem item); void GetFolder(); void GetCurrentSelection();',
  'void SetFileName(); void GetFileName(); void SetTitle([MarshalAs(UnmanagedType.LPWStr)] string title);',
  'void SetOkButtonLabel(); void SetFileNameLabel(); void GetResult(out IShellItem item); }',
  '[ComImport, Guid("43826D1E-E718-42EE-BC55-A1E261C37BFE"), InterfaceType(ComInterfaceType.InterfaceIsIUnknown)]',
  'interface IShellItem { void BindToHandler(); void GetParent();',
  'void GetDisplayName(uint form, [MarshalAs(UnmanagedType.LPWStr)] out string name); }',
  '[DllImport("shell32.dll", CharSet = CharSet.Unicode, PreserveSig = false)] static extern void SHCreateItemFromParsingName(',
  'string path, IntPtr context, ref Guid id, [MarshalAs(UnmanagedType.Interface)] out IShellItem item);',
  'public static string Pick(IntPtr owner, string title, string folder) {',
  'IFileDialog dialog = (IFileDialog)new FileOpenDialog(); uint options; dialog.GetOptions(out options);',
  // FOS_PICKFOLDERS, FOS_FORCEFILESYSTEM, FOS_PATHMUSTEXIST, FOS_NOCHANGEDIR.
  'dialog.SetOptions(options | 0x20 | 0x40 | 0x800 | 0x8); dialog.SetTitle(title);',
  'try { Guid id = typeof(IShellItem).GUID; IShellItem start;',
  'SHCreateItemFromParsingName(folder, IntPtr.Zero, ref id, out start); dialog.SetFolder(start); } catch (Exception) { }',
  // HRESULT of ERROR_CANCELLED.
  'int end = dialog.Show(owner); if (end == unchecked((int)0x800704C7)) return null; Marshal.ThrowExceptionForHR(end);',
  // SIGDN_FILESYSPATH.
  'IShellItem item; dialog.GetResult(out item); string path; item.GetDisplayName(0x80058000, out path); return path; } }',
];

/** Uses the folder tree of Windows Forms where C# cannot be compiled. */
export const OPEN_FOLDER_SCRIPT = `${SCRIPT_START}
$source = @(
${FOLDER_DIALOG_SOURCE.map((line) => `  '${line}'`).join(',\n')}
) -join [Environment]::NewLine
$modern = $true
try { Add-Type -TypeDefinition $source } catch { $modern = $false }
$path = $null
if ($modern) {
  $path = [AcqstoreFolderDialog]::Pick($owner.Handle, $request.title, $request.folder)
} else {
  $dialog = New-Object System.Windows.Forms.FolderBrowserDialog
  $dialog.Description = $request.title
  $dialog.SelectedPath = $request.folder
  $dialog.ShowNewFolderButton = $false
  if ($dialog.ShowDialog($owner) -eq [System.Windows.Forms.DialogResult]::OK) { $path = $dialog.SelectedPath }
}
${SCRIPT_END}`;

export function powershellArgs(kind: PickKind): string[] {
  const script = kind === 'folder' ? OPEN_FOLDER_SCRIPT : OPEN_FILE_SCRIPT;
  return [
    ...['-NoProfile', '-NoLogo', '-NonInteractive', '-STA', '-ExecutionPolicy', 'Bypass', '-WindowStyle', 'Hidden'],
    ...['-EncodedCommand', Buffer.from(script, 'utf16le').toString('base64')],
  ];
}
