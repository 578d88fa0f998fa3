import { win32 } from 'node:path';
import { ALL_FILES, type Dialog, type DialogOutcome, type DialogRequest, FILTER_NAME, unavailable } from './dialog.js';
import { jsonOutcome } from './json-outcome.js';
import { dialogEnv, type Ended, firstLine, run } from './process.js';

/** Set for the script alone; PowerShell reads the environment as UTF-16, so every name survives. */
export const REQUEST_VARIABLE = 'ACQSTORE_DIALOG_REQUEST';

/** Windows: OpenFileDialog of Windows Forms, shown by a PowerShell script in a process of its own. */
export function powershell(env: NodeJS.ProcessEnv): Dialog {
  return {
    name: 'PowerShell',
    async show(request, signal) {
      const options = { env: { ...dialogEnv(env), [REQUEST_VARIABLE]: powershellRequest(request) }, signal };
      const result = await run(powershellPath(env), POWERSHELL_ARGS, options);
      if (result.status === 'stopped') return { status: 'cancelled' };
      return result.status === 'missing' ? unavailable(result.why) : powershellOutcome(result.ended);
    },
  };
}

/** By its full path: a `powershell.exe` in the current folder must not run. Windows' own 5.1 has Windows Forms. */
export function powershellPath(env: NodeJS.ProcessEnv): string {
  const root = env['SystemRoot'] || env['SYSTEMROOT'] || 'C:\\Windows';
  return win32.join(root, 'System32', 'WindowsPowerShell', 'v1.0', 'powershell.exe');
}

/** JSON for the environment variable: nothing of the request becomes script text. */
export function powershellRequest({ title, extensions, folder }: DialogRequest): string {
  const patterns = extensions.map((extension) => `*${extension}`).join(';');
  const filter = [...(patterns ? [`${FILTER_NAME}|${patterns}`] : []), `${ALL_FILES}|*.*`].join('|');
  return JSON.stringify({ title, folder, filter });
}

export function powershellOutcome({ code, stdout, stderr }: Ended): DialogOutcome {
  if (code === 0) return jsonOutcome(stdout);
  return unavailable(`exit code ${code ?? 'none'}: ${firstLine(stderr) || 'no reason given'}`);
}

/** The dialog needs an owner that is on top, or it opens behind the browser. */
export const OPEN_FILE_SCRIPT = `
$ErrorActionPreference = 'Stop'
$ProgressPreference = 'SilentlyContinue'
[Console]::OutputEncoding = New-Object System.Text.UTF8Encoding $false
if (-not [Environment]::UserInteractive) {
  [Console]::Error.WriteLine('this session has no desktop')
  exit 3
}
$request = $env:${REQUEST_VARIABLE} | ConvertFrom-Json
Add-Type -AssemblyName System.Windows.Forms
[System.Windows.Forms.Application]::EnableVisualStyles()
$owner = New-Object System.Windows.Forms.Form -Property @{ TopMost = $true; ShowInTaskbar = $false; Opacity = 0; StartPosition = 'CenterScreen' }
$owner.Show()
$owner.Activate()
$dialog = New-Object System.Windows.Forms.OpenFileDialog
$dialog.Title = $request.title
$dialog.Filter = $request.filter
$dialog.InitialDirectory = $request.folder
$dialog.Multiselect = $false
$dialog.CheckFileExists = $true
$dialog.DereferenceLinks = $true
$answer = $dialog.ShowDialog($owner)
$owner.Dispose()
if ($answer -eq [System.Windows.Forms.DialogResult]::OK) { $result = @{ path = $dialog.FileName } } else { $result = @{ cancelled = $true } }
[Console]::Out.Write(($result | ConvertTo-Json -Compress))
`;

export const POWERSHELL_ARGS: readonly string[] = [
  ...['-NoProfile', '-NoLogo', '-NonInteractive', '-STA', '-ExecutionPolicy', 'Bypass', '-WindowStyle', 'Hidden'],
  ...['-EncodedCommand', Buffer.from(OPEN_FILE_SCRIPT, 'utf16le').toString('base64')],
];
