/** uPlot formats in the browser's language, which may be `C` or `en-US@posix`: unknown to Intl. */
try {
  new Intl.NumberFormat(navigator.language)
} catch {
  Object.defineProperty(navigator, 'language', { value: 'en', configurable: true })
}
