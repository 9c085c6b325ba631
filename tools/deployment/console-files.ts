import { mkdir, rm, writeFile } from 'node:fs/promises'
import { root } from '#tools/machine/program.ts'
import { buildConsole } from '#tools/server/console-build.ts'
import { consoleFileName } from '../../console/served/console-file.ts'

/** infra/console-on.yml takes the files of the console from this folder. */
const folder = `${root}.build/console`

export async function writeConsole(): Promise<void> {
  const files = Object.entries(await buildConsole())
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true })
  await Promise.all(files.map(([path, text]) => writeFile(`${folder}/${consoleFileName(path)}`, text)))
}
