import { globSync } from 'node:fs'
import { chmod, cp, mkdir, rm, symlink, writeFile } from 'node:fs/promises'
import { dirname, relative } from 'node:path'
import { build, type Metafile } from 'esbuild'
import { createClient } from '#lib/table/requests/client.ts'
import { currentBuild } from '#tools/machine/build.ts'
import { RELEASE_PAGE } from '#tools/machine/built-program.ts'
import { DEMO_DATABASE, demoDataset } from '#tools/machine/data-folder.ts'
import { root } from '#tools/machine/program.ts'
import packageJson from '../../package.json' with { type: 'json' }
import { openTable } from '../command-line/open-table.ts'
import { importFolder, retrySuspended } from '../commands/import/import.ts'
import { buildConsole } from '../server/console-build.ts'
import { createTable, startEngine } from '../server/engine.ts'
import { programOptions } from '../server/program-build.ts'

/** The files that a release takes as they are: what commands read, the units, and the pages for people. */
const TAKEN = [
  'data/{demo,first,moving-in,origins}',
  'data/numbering-plans.json',
  'docs/*.md',
  'docs/adapters',
  'events/examples.json',
  'infra/logs.yml',
  'infra/one-machine/*[!t][!s]',
  '{README,CHANGELOG,SECURITY}.md',
  'LICENSE',
]

const MACHINE = 'linux-x64'
const ENGINE = `@dynoxide/${MACHINE}` as const

/**
 * Writes the release for one machine into a folder: it needs Node alone, neither npm nor a compiler. Its
 * files have the paths of the checkout. Returns esbuild's metadata of its code.
 */
export async function writeRelease(folder: string): Promise<Metafile> {
  await rm(folder, { recursive: true, force: true })
  const code = await buildProgram(folder)
  await mkdir(dirname(`${folder}/${RELEASE_PAGE}`))
  await writeFile(`${folder}/${RELEASE_PAGE}`, JSON.stringify(await buildConsole()))
  const taken = globSync([...TAKEN, `node_modules/${ENGINE}`], { cwd: root })
  for (const path of taken) await cp(root + path, `${folder}/${path}`, { recursive: true })
  await writeManifest(folder)
  for (const path of ['tollgate', 'node_modules/.bin/tollgate']) await linkProgram(folder, path)
  await writeDemo(folder)
  return code
}

async function buildProgram(folder: string): Promise<Metafile> {
  const { metafile } = await build({
    ...(await programOptions(MACHINE)),
    entryPoints: ['tools/bin/tollgate.js', 'tools/server/engine-gate.ts'],
    outdir: folder,
    outbase: root,
    // Shared code is, like `tools/machine/program.ts`, two folders below the root.
    chunkNames: 'tools/bin/[name]-[hash]',
    assetNames: 'tools/bin/[name]-[hash]',
    define: { 'process.env.TOLLGATE_COMMIT': JSON.stringify(currentBuild().split(' ')[1] ?? '') },
  })
  return metafile ?? { inputs: {}, outputs: {} }
}

const writeManifest = (folder: string): Promise<void> => {
  const { name, version, description, license, type, engines, optionalDependencies } = packageJson
  const manifest = {
    name,
    version,
    description,
    license,
    type,
    private: true,
    engines,
    bin: { tollgate: 'tools/bin/tollgate.js' },
    scripts: { start: packageJson.scripts.start },
    optionalDependencies: { [ENGINE]: optionalDependencies[ENGINE] },
  }
  return writeFile(`${folder}/package.json`, `${JSON.stringify(manifest, null, 2)}\n`)
}

async function linkProgram(folder: string, path: string): Promise<void> {
  const place = dirname(`${folder}/${path}`)
  await mkdir(place, { recursive: true })
  await symlink(relative(place, `${folder}/tools/bin/tollgate.js`), `${folder}/${path}`)
}

/** Loads the demo into a database, which a first start only copies. */
async function writeDemo(folder: string): Promise<void> {
  const engine = await startEngine(`${folder}/${DEMO_DATABASE}`)
  try {
    const location = { tableName: 'tollgate', endpoint: engine.endpoint }
    await createTable(createClient(location), location.tableName)
    const store = openTable(location)
    await retrySuspended(store, await importFolder(demoDataset, store, {}))
  } finally {
    await engine.stop()
  }
  // The engine writes for its own user alone. The secrets are those of data/demo, which everybody may read.
  await chmod(`${folder}/${DEMO_DATABASE}`, 0o644)
}
