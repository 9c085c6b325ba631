/** The writer of xml-js without its parser, which would be part of every bundle otherwise. */
declare module 'xml-js/lib/js2xml.js' {
  const js2xml: typeof import('xml-js').js2xml
  // biome-ignore lint/style/noDefaultExport: it is the package's own export
  export default js2xml
}
