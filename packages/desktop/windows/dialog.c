/*
 * acqstore-dialog.exe [--dir] [--title TEXT] [--folder PATH] [--filter "Name|*.a;*.b"]...
 *
 * Shows the dialog of Windows for files or folders, and writes the chosen path to standard output: UTF-8, ended by a line feed.
 * Exit code 0: chosen; 1: cancelled; 2: the dialog failed, and standard error says why.
 */
#define COBJMACROS
#define _WIN32_WINNT 0x0A00
#include <windows.h>
#include <shellapi.h>
#include <shobjidl.h>
#include <stdio.h>
#include <wchar.h>

enum { CHOSEN = 0, CANCELLED = 1, FAILED_TO_SHOW = 2, MAX_FILTERS = 8 };

struct request {
  BOOL folders;
  PWSTR title;
  PWSTR folder;
  COMDLG_FILTERSPEC filters[MAX_FILTERS];
  UINT filter_count;
};

/* Cuts "Name|patterns" in two, in its place. */
static void add_filter(struct request *request, PWSTR text) {
  PWSTR bar = wcschr(text, L'|');
  if (!bar || request->filter_count == MAX_FILTERS) return;
  *bar = 0;
  request->filters[request->filter_count].pszName = text;
  request->filters[request->filter_count].pszSpec = bar + 1;
  request->filter_count++;
}

static BOOL read_arguments(struct request *request) {
  int count;
  PWSTR *arguments = CommandLineToArgvW(GetCommandLineW(), &count);
  if (!arguments) return FALSE;
  for (int i = 1; i < count; i++) {
    BOOL has_value = i + 1 < count;
    if (!wcscmp(arguments[i], L"--dir")) request->folders = TRUE;
    else if (!wcscmp(arguments[i], L"--title") && has_value) request->title = arguments[++i];
    else if (!wcscmp(arguments[i], L"--folder") && has_value) request->folder = arguments[++i];
    else if (!wcscmp(arguments[i], L"--filter") && has_value) add_filter(request, arguments[++i]);
    else return FALSE;
  }
  return TRUE;
}

static int fail(const char *what, HRESULT result) {
  fprintf(stderr, "%s: 0x%08lx\n", what, (unsigned long)result);
  return FAILED_TO_SHOW;
}

static void prepare(IFileOpenDialog *dialog, const struct request *request) {
  FILEOPENDIALOGOPTIONS options = 0;
  IShellItem *start;
  IFileOpenDialog_GetOptions(dialog, &options);
  options |= FOS_FORCEFILESYSTEM | FOS_NOCHANGEDIR | FOS_PATHMUSTEXIST;
  options |= request->folders ? FOS_PICKFOLDERS : FOS_FILEMUSTEXIST;
  IFileOpenDialog_SetOptions(dialog, options);
  if (request->title) IFileOpenDialog_SetTitle(dialog, request->title);
  if (request->filter_count && !request->folders) {
    IFileOpenDialog_SetFileTypes(dialog, request->filter_count, request->filters);
  }
  /* A folder that is gone is no reason to show nothing. */
  if (request->folder &&
      SUCCEEDED(SHCreateItemFromParsingName(request->folder, NULL, &IID_IShellItem, (void **)&start))) {
    IFileOpenDialog_SetFolder(dialog, start);
    IShellItem_Release(start);
  }
}

static int print_choice(IFileOpenDialog *dialog) {
  IShellItem *item;
  PWSTR path;
  HRESULT result = IFileOpenDialog_GetResult(dialog, &item);
  if (FAILED(result)) return fail("the choice cannot be read", result);
  result = IShellItem_GetDisplayName(item, SIGDN_FILESYSPATH, &path);
  if (FAILED(result)) return fail("the choice has no path", result);
  /* The length includes the NUL, which becomes the line feed. */
  int length = WideCharToMultiByte(CP_UTF8, 0, path, -1, NULL, 0, NULL, NULL);
  char *text = CoTaskMemAlloc(length);
  DWORD written = 0;
  if (!text || !WideCharToMultiByte(CP_UTF8, 0, path, -1, text, length, NULL, NULL)) {
    return fail("the path cannot be written as UTF-8", HRESULT_FROM_WIN32(GetLastError()));
  }
  text[length - 1] = '\n';
  if (!WriteFile(GetStdHandle(STD_OUTPUT_HANDLE), text, length, &written, NULL)) {
    return fail("the path cannot be written", HRESULT_FROM_WIN32(GetLastError()));
  }
  return CHOSEN;
}

int WINAPI wWinMain(HINSTANCE instance, HINSTANCE previous, PWSTR line, int show) {
  struct request request = {0};
  IFileOpenDialog *dialog;
  (void)previous, (void)line, (void)show;
  if (!read_arguments(&request)) return fail("the arguments are not valid", E_INVALIDARG);
  SetProcessDpiAwarenessContext(DPI_AWARENESS_CONTEXT_PER_MONITOR_AWARE_V2);
  HRESULT result = CoInitializeEx(NULL, COINIT_APARTMENTTHREADED | COINIT_DISABLE_OLE1DDE);
  if (FAILED(result)) return fail("COM cannot be used", result);
  result = CoCreateInstance(&CLSID_FileOpenDialog, NULL, CLSCTX_INPROC_SERVER, &IID_IFileOpenDialog, (void **)&dialog);
  if (FAILED(result)) return fail("the dialog cannot be created", result);
  prepare(dialog, &request);
  /* Without an owner that is on top, the dialog would open behind the browser. */
  HWND owner = CreateWindowEx(WS_EX_TOPMOST | WS_EX_TOOLWINDOW, L"STATIC", L"", WS_POPUP,
                              GetSystemMetrics(SM_CXSCREEN) / 2, GetSystemMetrics(SM_CYSCREEN) / 2, 0, 0,
                              NULL, NULL, instance, NULL);
  ShowWindow(owner, SW_SHOW);
  SetForegroundWindow(owner);
  result = IFileOpenDialog_Show(dialog, owner);
  DestroyWindow(owner);
  if (result == HRESULT_FROM_WIN32(ERROR_CANCELLED)) return CANCELLED;
  return FAILED(result) ? fail("the dialog cannot be shown", result) : print_choice(dialog);
}
