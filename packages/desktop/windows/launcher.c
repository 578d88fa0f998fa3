/*
 * Starts acqstore.exe, which is beside it, without a console window, and passes its own arguments on. It waits for the end: then it
 * can show why the application did not start, and ending it in the Task Manager ends the application.
 */
#define WIN32_LEAN_AND_MEAN
#include <stdlib.h>
#include <wchar.h>
#include <windows.h>

#define TITLE L"Acquisition Store"
#define PROGRAM L"acqstore.exe"
/** The last of what the application prints as errors; more does not fit on a message. */
#define MESSAGE_BYTES 1500
/** Longest command line of Windows. */
#define MAX_COMMAND 32767

static int fail(const wchar_t *message) {
  MessageBoxW(NULL, message, TITLE, MB_OK | MB_ICONERROR);
  return 1;
}

/** Returns what follows the program's own name in its command line, as it was written. */
static const wchar_t *arguments(const wchar_t *line) {
  BOOL quoted = FALSE;
  for (; *line && (quoted || (*line != L' ' && *line != L'\t')); line++) {
    if (*line == L'"') quoted = !quoted;
  }
  while (*line == L' ' || *line == L'\t') line++;
  return line;
}

/** Writes the path of the application, and returns its length; 0 when the folder is too deep. */
static DWORD find_program(wchar_t *path, DWORD size) {
  DWORD length = GetModuleFileNameW(NULL, path, size);
  if (length == 0 || length >= size) return 0;
  while (length > 0 && path[length - 1] != L'\\') length--;
  if (length + wcslen(PROGRAM) >= size) return 0;
  wcscpy(path + length, PROGRAM);
  return length + (DWORD)wcslen(PROGRAM);
}

/** Ends the application with this process, but not the browsers that the application starts. */
static void end_together(HANDLE process) {
  JOBOBJECT_EXTENDED_LIMIT_INFORMATION limits = {0};
  HANDLE job = CreateJobObjectW(NULL, NULL);
  if (!job) return;
  limits.BasicLimitInformation.LimitFlags = JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE | JOB_OBJECT_LIMIT_SILENT_BREAKAWAY_OK;
  if (SetInformationJobObject(job, JobObjectExtendedLimitInformation, &limits, sizeof limits)) {
    AssignProcessToJobObject(job, process);
  }
}

/** Reads to the end, and keeps the last part. */
static DWORD read_last(HANDLE from, char *text) {
  DWORD length = 0, got;
  char part[512];
  while (ReadFile(from, part, sizeof part, &got, NULL) && got > 0) {
    DWORD dropped = length + got > MESSAGE_BYTES ? length + got - MESSAGE_BYTES : 0;
    memmove(text, text + dropped, length - dropped);
    memcpy(text + length - dropped, part, got);
    length += got - dropped;
  }
  return length;
}

/** Starts the application with the other end of a pipe for its errors. Returns NULL when that is not possible. */
static HANDLE start(wchar_t *path, wchar_t *command, HANDLE *errors) {
  SECURITY_ATTRIBUTES inherited = {sizeof inherited, NULL, TRUE};
  STARTUPINFOW startup = {.cb = sizeof startup, .dwFlags = STARTF_USESTDHANDLES};
  PROCESS_INFORMATION process;
  HANDLE write_end;
  if (!CreatePipe(errors, &write_end, &inherited, 0)) return NULL;
  SetHandleInformation(*errors, HANDLE_FLAG_INHERIT, 0);
  startup.hStdError = write_end;
  DWORD access = GENERIC_READ | GENERIC_WRITE, share = FILE_SHARE_READ | FILE_SHARE_WRITE;
  startup.hStdInput = startup.hStdOutput = CreateFileW(L"NUL", access, share, &inherited, OPEN_EXISTING, 0, NULL);
  BOOL started = CreateProcessW(path, command, NULL, NULL, TRUE, CREATE_NO_WINDOW, NULL, NULL, &startup, &process);
  CloseHandle(write_end);
  if (!started) return NULL;
  CloseHandle(process.hThread);
  return process.hProcess;
}

int WINAPI wWinMain(HINSTANCE instance, HINSTANCE previous, PWSTR line, int show) {
  static wchar_t path[MAX_COMMAND], command[MAX_COMMAND];
  static char text[MESSAGE_BYTES];
  static wchar_t message[MESSAGE_BYTES + 1];
  HANDLE errors;
  DWORD code = 1;
  (void)instance, (void)previous, (void)line, (void)show;
  const wchar_t *rest = arguments(GetCommandLineW());
  DWORD length = find_program(path, MAX_COMMAND);
  if (length == 0 || length + wcslen(rest) + sizeof "\"\" " > MAX_COMMAND) {
    return fail(L"The path of the file or of the application is too long.");
  }
  swprintf(command, MAX_COMMAND, L"\"%ls\" %ls", path, rest);
  // The application may bring its window to the front in place of this program.
  AllowSetForegroundWindow(ASFW_ANY);
  HANDLE process = start(path, command, &errors);
  if (!process) {
    return fail(L"acqstore.exe could not be started. It must be in the folder of this program. Install the application again.");
  }
  end_together(process);
  DWORD read = read_last(errors, text);
  WaitForSingleObject(process, INFINITE);
  GetExitCodeProcess(process, &code);
  if (code == 0) return 0;
  int wide = MultiByteToWideChar(CP_UTF8, 0, text, (int)read, message, MESSAGE_BYTES);
  if (wide == 0) wcscpy(message, L"The application ended with an error. Start acqstore in a terminal to see more.");
  return fail(message);
}
