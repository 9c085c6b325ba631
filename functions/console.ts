import { consoleFile } from '../console/served/console-file.ts'

/** The folder in which the package has the console's files. */
const FOLDER = '.build/console'

export const handler = consoleFile(FOLDER)
