import { consoleFile } from '#lib/console/console-file.ts'

/** Where packaging puts the files beside the code. */
const FOLDER = '.build/console'

export const handler = consoleFile(FOLDER)
