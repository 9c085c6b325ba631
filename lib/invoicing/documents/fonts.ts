import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname } from 'node:path'

/**
 * The files that a PDF has in it: its fonts, whose digits have one width, and the colours of a PDF/A. A
 * bundle has them in it: infra/esbuild-plugins.cjs replaces this module by the results of its functions.
 */
const { resolve } = createRequire(import.meta.url)

const fontFile = (name: string): Uint8Array =>
  readFileSync(resolve(`@expo-google-fonts/ibm-plex-sans/${name}`))

export const regularFont = (): Uint8Array => fontFile('400Regular/IBMPlexSans_400Regular.ttf')

export const boldFont = (): Uint8Array => fontFile('600SemiBold/IBMPlexSans_600SemiBold.ttf')

/** sRGB. */
export const colourProfile = (): Uint8Array =>
  readFileSync(`${dirname(resolve('pdfkit'))}/data/sRGB_IEC61966_2_1.icc`)
