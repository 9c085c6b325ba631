/** uPlot formats numbers in the language of the browser, which some systems call `C` or `en-US@posix`: no language of Intl. */
try {
  new Intl.NumberFormat(navigator.language)
} catch {
  Object.defineProperty(navigator, 'language', { value: 'en', configurable: true })
}
