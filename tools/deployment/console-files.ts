import { mkdir, writeFile } from 'node:fs/promises'
import { root } from '#tools/machine/location.ts'
import { buildConsole } from '#tools/server/console-routes.ts'
import { CONSOLE_PATHS, consoleFileName } from '../../console/served/console-file.ts'

/** infra/console-on.yml takes the files of the console from this folder. */
const CONSOLE_FOLDER = `${root}.build/console`

export async function writeConsole(): Promise<void> {
  const files = await buildConsole()
  await mkdir(CONSOLE_FOLDER, { recursive: true })
  await Promise.all(
    CONSOLE_PATHS.map((path) => writeFile(`${CONSOLE_FOLDER}/${consoleFileName(path)}`, files[path])),
  )
}
