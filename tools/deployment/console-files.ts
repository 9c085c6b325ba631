import { mkdir, rm, writeFile } from 'node:fs/promises'
import { root } from '#tools/machine/location.ts'
import { buildConsole } from '#tools/server/console-routes.ts'
import { consoleFileName } from '../../console/served/console-file.ts'

/** infra/console-on.yml takes the files of the console from this folder. */
const CONSOLE_FOLDER = `${root}.build/console`

export async function writeConsole(): Promise<void> {
  const files = Object.entries(await buildConsole())
  await rm(CONSOLE_FOLDER, { recursive: true, force: true })
  await mkdir(CONSOLE_FOLDER, { recursive: true })
  await Promise.all(
    files.map(([path, text]) => writeFile(`${CONSOLE_FOLDER}/${consoleFileName(path)}`, text)),
  )
}
