import { mkdir, writeFile } from 'node:fs/promises'
import { build } from 'esbuild'
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

/** Writes the file that serverless.yml packs beside every bundle; infra/bundle/doctor-beside.ts loads it. */
export const writeDoctor = (folder = `${root}.build/doctor`) =>
  build({
    absWorkingDir: root,
    entryPoints: ['lib/api/doctor/refused-hash.ts'],
    outfile: `${folder}/refused-hash.cjs`,
    bundle: true,
    minify: true,
    platform: 'node',
    format: 'cjs',
    target: 'node22',
    metafile: true,
    logLevel: 'silent',
  })
