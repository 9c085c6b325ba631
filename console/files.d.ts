// biome-ignore-all lint/style/noDefaultExport: esbuild exports a text so

/** A style that esbuild writes next to the script. */
declare module '*.css'

declare module '*.cfg' {
  const text: string
  export default text
}

declare module '*.conf' {
  const text: string
  export default text
}

declare module '*.xml' {
  const text: string
  export default text
}
