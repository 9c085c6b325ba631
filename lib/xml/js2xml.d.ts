/** The writer of xml-js without its parser, which would come into every bundle; typed as in the whole package. */
declare module 'xml-js/lib/js2xml.js' {
  const js2xml: typeof import('xml-js').js2xml
  // biome-ignore lint/style/noDefaultExport: it is theirs
  export default js2xml
}
