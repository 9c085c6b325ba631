import { rm } from 'node:fs/promises'
import type { BuildFailure } from 'esbuild'
import { functionPaths, loadFunctionFiles } from '#lib/local/contracts/function-files.ts'
import {
  type FunctionConfig,
  type FunctionConfigs,
  functionConfigs,
  INTAKE_PATH,
} from '#lib/local/contracts/functions-config.ts'
import { buildFunctions } from './build-functions.ts'
import { type Gateway, type GatewayOptions, startGateway } from './gateway.ts'
import { watchSource } from './source-watch.ts'

export interface SourceOptions extends Pick<GatewayOptions, 'port' | 'environment'> {
  /** Each build of the functions gets a folder of its own in it. */
  readonly folder: string
  /** Is told in a sentence what became of a change. */
  readonly tell: (sentence: string) => void
}

/** Without a queue: records go into the table at once. */
const INTAKE: FunctionConfig = {
  handler: 'functions/ingest/intake_locally.handler',
  description: '',
  role: '',
  events: [{ http: { path: INTAKE_PATH, method: 'any' } }],
}

const withIntake = (functions: FunctionConfigs): FunctionConfigs => ({ ...functions, intake: INTAKE })

/** What the source says, built and ready to be served. */
interface Build {
  readonly folder: string
  readonly functions: FunctionConfigs
}

/**
 * The gateway over the functions as the source has them, also after it has changed. While a change cannot be built, every
 * call is answered with the reason. What a build has loaded stays in memory: a few megabytes for each change.
 */
export async function serveSource(options: SourceOptions): Promise<Gateway> {
  await rm(options.folder, { recursive: true, force: true })
  let complaint: string | undefined
  let served = await firstBuild(options)
  const start = () => startGateway({ ...options, ...served, complaint: () => complaint })
  let gateway = start()

  const serve = async (build: Build) => {
    const before = served.folder
    served = build
    await (await gateway).stop()
    gateway = start()
    await gateway
    await rm(before, { recursive: true, force: true })
  }
  const changes = inTurn(async (count) => {
    try {
      await serve(await nextBuild(options, `${options.folder}/${count}`))
      complaint = undefined
      options.tell('The source has changed: what it says now is served.')
    } catch (error) {
      complaint = complaintAbout(error)
      options.tell(complaint)
    }
  })
  const [{ url }, endWatch] = await Promise.all([gateway, watchIfPossible(changes.next, options.tell)])
  const stop = async () => {
    endWatch()
    await changes.done()
    await (await gateway).stop()
  }
  return { url, stop }
}

/** Without it everything else works: a system may have no more watches to give. */
const watchIfPossible = (changed: () => void, tell: SourceOptions['tell']): Promise<() => void> =>
  watchSource(changed).catch((error: Error) => {
    tell(`Changes of the source will not be noticed: ${error.message}.`)
    return () => {}
  })

/** One at a time, each with its number from 1 on. */
function inTurn(work: (count: number) => Promise<void>) {
  let count = 0
  let last = Promise.resolve()
  const next = () => {
    count++
    last = last.then(work.bind(undefined, count))
  }
  return { next, done: () => last }
}

/** The contracts are read while esbuild is at work. */
async function firstBuild({ folder }: SourceOptions): Promise<Build> {
  const first = `${folder}/0`
  const [files] = await Promise.all([loadFunctionFiles(), buildSource(first)])
  return { folder: first, functions: withIntake(functionConfigs(files)) }
}

/** Contracts, too, are taken from what was built: this process has those of its start. */
async function nextBuild({ environment }: SourceOptions, folder: string): Promise<Build> {
  await buildSource(folder)
  Object.assign(process.env, environment, { IS_OFFLINE: 'true' })
  return { folder, functions: withIntake(functionConfigs(await loadFunctionFiles(folder))) }
}

async function buildSource(folder: string): Promise<void> {
  const paths = [...(await functionPaths()), 'functions/not_found', 'functions/ingest/intake_locally']
  await buildFunctions(
    Object.fromEntries(paths.map((path) => [path, { handler: `${path}.handler` }])),
    folder,
  )
}

/** What esbuild found, or what the first look at a built function threw. */
function complaintAbout(error: unknown): string {
  const first = error instanceof Error && 'errors' in error ? (error as BuildFailure).errors[0] : undefined
  if (!first) return `The source cannot be loaded: ${error instanceof Error ? error.message : error}`
  const { text, location } = first
  const place = location ? `${location.file}:${location.line}:${location.column + 1}: ` : ''
  return `The source cannot be built: ${place}${text}`
}
