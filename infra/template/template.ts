import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rename, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { promisify } from 'node:util'
import { root } from '#lib/local/function-files.ts'

export interface Resource {
  readonly Type: string
  readonly Properties?: Readonly<Record<string, unknown>>
  readonly DeletionPolicy?: string
  readonly UpdateReplacePolicy?: string
  readonly DependsOn?: string | readonly string[]
}

export interface Template {
  readonly Resources: Readonly<Record<string, Resource>>
  readonly Outputs: Readonly<Record<string, { readonly Value: unknown }>>
  readonly Conditions?: Readonly<Record<string, unknown>>
}

/**
 * What a deployment of the stage would hand to CloudFormation. Packaging takes seconds, so the template is kept until
 * something it is made of changes; the bundles it names are not part of that.
 */
export async function packagedTemplate(stage: string): Promise<Template> {
  const kept = `${root}.build/template-${stage}-${await digestOfSources()}.json`
  if (!existsSync(kept)) await packageInto(kept, stage)
  return JSON.parse(await readFile(kept, 'utf8')) as Template
}

async function digestOfSources(): Promise<string> {
  const infra = await readdir(`${root}infra`)
  const files = ['serverless.yml', 'package-lock.json', ...infra.map((name) => `infra/${name}`).sort()]
  const hash = createHash('sha256')
  for (const file of files.filter((name) => /\.(yml|cjs|json)$/.test(name))) {
    hash.update(file).update(await readFile(root + file))
  }
  return hash.digest('hex').slice(0, 16)
}

async function packageInto(kept: string, stage: string): Promise<void> {
  const folder = `${root}.build/package-${stage}-${process.pid}`
  const serverless = createRequire(import.meta.url).resolve('serverless/bin/serverless.js')
  await mkdir(folder, { recursive: true })
  const command = [serverless, 'package', '--stage', stage, '--region', 'eu-central-1', '--package', folder]
  await promisify(execFile)(process.execPath, command, { cwd: root })
  await rename(`${folder}/cloudformation-template-update-stack.json`, kept)
  await rm(folder, { recursive: true })
}

/** The resources of a type, by their logical name. */
export const ofType = ({ Resources }: Template, type: string): [string, Record<string, unknown>][] =>
  Object.entries(Resources)
    .filter(([, { Type }]) => Type === type)
    .map(([name, { Properties = {} }]) => [name, Properties])
