import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

/**
 * The fonts of PDFs, whose digits have one width. A bundle has the files in it: infra/esbuild-plugins.cjs
 * replaces this module.
 */
const { resolve } = createRequire(import.meta.url)

const read = (file: string): Uint8Array => readFileSync(resolve(`@expo-google-fonts/ibm-plex-sans/${file}`))

export const regularFont = (): Uint8Array => read('400Regular/IBMPlexSans_400Regular.ttf')

export const boldFont = (): Uint8Array => read('600SemiBold/IBMPlexSans_600SemiBold.ttf')
