import { mkdir, writeFile } from 'node:fs/promises'
import { fileName } from '#lib/console/console-file.ts'
import { CONSOLE_PATHS } from '#lib/console/headers.ts'
import { root } from '#lib/local/root.ts'
import { buildConsole } from '#lib/local/server/console-files.ts'

/** Where infra/console-on.yml takes the files of the console from. */
const FOLDER = `${root}.build/console`

export async function writeConsole(): Promise<void> {
  const files = await buildConsole()
  await mkdir(FOLDER, { recursive: true })
  await Promise.all(CONSOLE_PATHS.map((path) => writeFile(`${FOLDER}/${fileName(path)}`, files[path])))
}
