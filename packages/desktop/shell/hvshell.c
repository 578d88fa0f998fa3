/*
 * Shows one page in a window of its own, with GTK 3 and WebKitGTK as far as they are installed: they are loaded at run time, so
 * that this program is built without their headers and starts on computers that do not have them.
 *
 * hvshell TITLE ICON   The address is the first line of the input, not an argument: it has a secret, and every user of the computer
 *                      can list arguments. Then: "focus" brings the window to the front, "close" or the end of the input closes it.
 * Output               "shown", then "closed".
 * Exit status          0 when the window was closed, 3 when no window can be shown.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { UNAVAILABLE = 3, WIDTH = 1000, HEIGHT = 760, MAX_LINE = 4096 };
enum { G_IO_IN = 1, G_IO_HUP = 16 };

/* The functions that are used, with the types of their libraries reduced to pointers. */
#define FUNCTIONS(F)                                                                              \
  F(int, gtk_init_check, (void *, void *))                                                        \
  F(void *, gtk_window_new, (int))                                                                \
  F(void, gtk_window_set_title, (void *, const char *))                                           \
  F(void, gtk_window_set_default_size, (void *, int, int))                                        \
  F(void, gtk_window_set_icon_name, (void *, const char *))                                       \
  F(void, gtk_window_present, (void *))                                                           \
  F(void, gtk_container_add, (void *, void *))                                                    \
  F(void, gtk_widget_show_all, (void *))                                                          \
  F(void, gtk_widget_destroy, (void *))                                                           \
  F(void, gtk_main, (void))                                                                       \
  F(void, gtk_main_quit, (void))                                                                  \
  F(void *, webkit_web_context_new_ephemeral, (void))                                             \
  F(void *, webkit_web_view_new_with_context, (void *))                                           \
  F(void, webkit_web_view_load_uri, (void *, const char *))                                       \
  F(unsigned long, g_signal_connect_data, (void *, const char *, void *, void *, void *, int))    \
  F(void, g_set_prgname, (const char *))                                                          \
  F(void *, g_io_channel_unix_new, (int))                                                         \
  F(unsigned, g_io_add_watch, (void *, int, void *, void *))

#define DECLARE(result, name, parameters) static result(*name) parameters;
FUNCTIONS(DECLARE)

static char line[MAX_LINE];
static size_t filled;

/* Loads the libraries. Returns 0 when one of them, or one of the functions, is missing. */
static int load(void) {
  static const char *const webkits[] = {"libwebkit2gtk-4.1.so.0", "libwebkit2gtk-4.0.so.37"};
  void *webkit = NULL;
  for (size_t i = 0; webkit == NULL && i < sizeof webkits / sizeof *webkits; i++) {
    webkit = dlopen(webkits[i], RTLD_NOW | RTLD_GLOBAL);
  }
  if (webkit == NULL || dlopen("libgtk-3.so.0", RTLD_NOW | RTLD_GLOBAL) == NULL) return 0;
#define LOAD(result, name, parameters) \
  if ((name = (result(*) parameters)dlsym(RTLD_DEFAULT, #name)) == NULL) return 0;
  FUNCTIONS(LOAD)
  return 1;
}

static void say(const char *word) {
  puts(word);
  fflush(stdout);
}

/* Reads the next line without its end; a long line loses its end. Returns 0 at the end of the input, -1 when there is more to come. */
static int read_line(char *into, size_t size) {
  char *end = memchr(line, '\n', filled);
  if (end == NULL) {
    if (filled == sizeof line) filled = 0;
    ssize_t count = read(STDIN_FILENO, line + filled, sizeof line - filled);
    if (count <= 0) return 0;
    filled += (size_t)count;
    end = memchr(line, '\n', filled);
    if (end == NULL) return -1;
  }
  size_t length = (size_t)(end - line);
  size_t copied = length < size ? length : size - 1;
  memcpy(into, line, copied);
  into[copied] = '\0';
  filled -= length + 1;
  memmove(line, end + 1, filled);
  return 1;
}

static void on_destroy(void) {
  say("closed");
  gtk_main_quit();
}

static int on_input(void *channel, int condition, void *window) {
  (void)channel;
  (void)condition;
  char word[16];
  for (int state = read_line(word, sizeof word); state >= 0; state = memchr(line, '\n', filled) ? read_line(word, sizeof word) : -1) {
    if (state == 0 || strcmp(word, "close") == 0) {
      gtk_widget_destroy(window);
      return 0;
    }
    if (strcmp(word, "focus") == 0) gtk_window_present(window);
  }
  return 1;
}

int main(int count, char **arguments) {
  char url[MAX_LINE];
  int state = -1;
  if (count != 3 || !load()) return UNAVAILABLE;
  while (state < 0) state = read_line(url, sizeof url);
  if (state == 0) return UNAVAILABLE;
  /* Desktops find the icon and the name of a window by this. */
  g_set_prgname(arguments[2]);
  if (!gtk_init_check(NULL, NULL)) return UNAVAILABLE;

  void *window = gtk_window_new(0);
  gtk_window_set_title(window, arguments[1]);
  gtk_window_set_icon_name(window, arguments[2]);
  gtk_window_set_default_size(window, WIDTH, HEIGHT);
  void *view = webkit_web_view_new_with_context(webkit_web_context_new_ephemeral());
  gtk_container_add(window, view);
  webkit_web_view_load_uri(view, url);
  g_signal_connect_data(window, "destroy", (void *)on_destroy, NULL, NULL, 0);
  gtk_widget_show_all(window);
  g_io_add_watch(g_io_channel_unix_new(STDIN_FILENO), G_IO_IN | G_IO_HUP, (void *)on_input, window);
  say("shown");
  gtk_main();
  return 0;
}
