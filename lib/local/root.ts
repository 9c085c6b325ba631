import { fileURLToPath } from 'node:url'

/** The folder of this repository, with a slash at its end. */
export const root = fileURLToPath(new URL('../../', import.meta.url))
