import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { setTimeout } from 'node:timers/promises'
import { promisify } from 'node:util'
import { zipSync } from 'fflate'
import { root } from '#tools/machine/program.ts'

export interface TemplateResource {
  readonly Type: string
  readonly Properties?: Readonly<Record<string, unknown>>
  readonly DeletionPolicy?: string
  readonly UpdateReplacePolicy?: string
  readonly DependsOn?: string | readonly string[]
}

export interface Template {
  readonly Resources: Readonly<Record<string, TemplateResource>>
  readonly Outputs: Readonly<Record<string, { readonly Value: unknown; readonly Export?: unknown }>>
}

/** Parameters by name, in place of those in infra/stages.yml. */
export type Chosen = Readonly<Record<string, string>>

/**
 * The template that a deployment of the stage sends to CloudFormation. Packaging takes seconds, so the
 * template is cached until one of its sources changes. The bundles are not among these sources.
 */
export async function packagedTemplate(stage: string, chosen: Chosen = {}): Promise<Template> {
  const kept = `${root}.build/template-${stage}-${await digestOfSources(chosen)}.json`
  await mkdir(`${root}.build`, { recursive: true })
  await onlyOnce(kept, () => packageInto(kept, stage, chosen))
  return JSON.parse(await readFile(kept, 'utf8')) as Template
}

/** After this time the process that holds the lock counts as dead. */
const LOCK_TIMEOUT_MS = 120_000

/** Packaging uses folders of the checkout, so one process packages, and the others wait for the file. */
async function onlyOnce(path: string, make: () => Promise<void>): Promise<void> {
  const lock = `${root}.build/packaging`
  while (!existsSync(path)) {
    const isMine = await mkdir(lock).then(
      () => true,
      () => false,
    )
    if (isMine) await make().finally(() => rm(lock, { recursive: true, force: true }))
    else await waitFor(lock)
  }
}

async function waitFor(lock: string): Promise<void> {
  const madeAt = await stat(lock).catch(() => undefined)
  if (madeAt && Date.now() - madeAt.mtimeMs > LOCK_TIMEOUT_MS)
    await rm(lock, { recursive: true, force: true })
  await setTimeout(200)
}

async function digestOfSources(chosen: Chosen): Promise<string> {
  const infra = await readdir(`${root}infra`)
  const files = ['serverless.yml', 'package-lock.json', ...infra.map((name) => `infra/${name}`).sort()]
  const hash = createHash('sha256').update(JSON.stringify(chosen))
  for (const file of files.filter((name) => /\.(yml|cjs|json)$/.test(name))) {
    hash.update(file).update(await readFile(root + file))
  }
  return hash.digest('hex').slice(0, 16)
}

async function packageInto(kept: string, stage: string, chosen: Chosen): Promise<void> {
  const folder = `${root}.build/package-${stage}-${process.pid}`
  const serverless = createRequire(import.meta.url).resolve('serverless/bin/serverless.js')
  await mkdir(folder, { recursive: true })
  const params = Object.entries(chosen).map(([name, value]) => `--param=${name}=${value}`)
  const where = ['--stage', stage, '--region', 'eu-central-1', '--package', folder]
  const command = [serverless, 'package', ...where, ...params]
  const env = { ...process.env, TOLLGATE_PACKED_FUNCTIONS: await emptyArchives(`${folder}/packed`) }
  await promisify(execFile)(process.execPath, command, { cwd: root, env })
  await rename(`${folder}/cloudformation-template-update-stack.json`, kept)
  await rm(folder, { recursive: true })
}

/** The template has nothing of the code of functions, whose bundles take most of a packaging. */
async function emptyArchives(folder: string): Promise<string> {
  await mkdir(folder, { recursive: true })
  const infra = (await readdir(`${root}infra`)).filter((name) => name.endsWith('.yml'))
  const texts = await Promise.all(infra.map((name) => readFile(`${root}infra/${name}`, 'utf8')))
  const names = texts.flatMap((text) => [...text.matchAll(/handler: functions\/(?:\S+\/)?(\w+)\.handler/g)])
  await Promise.all(names.map(([, name]) => writeFile(`${folder}/${name}.zip`, zipSync({}))))
  return folder
}

/** The resources of a type, by their logical name. */
export const ofType = ({ Resources }: Template, type: string): [string, Record<string, unknown>][] =>
  Object.entries(Resources)
    .filter(([, { Type }]) => Type === type)
    .map(([name, { Properties = {} }]) => [name, Properties])
