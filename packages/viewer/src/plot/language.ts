/**
 * uPlot formats numbers in `navigator.language` as soon as it loads. WebKitGTK says `C` where the system has no language,
 * which is not a language for `Intl`, and the page would not start. Import this file before uPlot.
 */
try {
  Intl.getCanonicalLocales(navigator.language);
} catch {
  Object.defineProperty(navigator, 'language', { value: 'en-US', configurable: true });
}
