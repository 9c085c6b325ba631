import { basename } from 'node:path'
import type { Operation, Resource } from '#lib/api/console/resource.ts'
import { ascending } from '#lib/base/collections.ts'
import { filesBelow, loadFile } from '#tools/machine/program.ts'
import { CONSOLE_ROUTES } from '../../console/served/console-file.ts'
import { type FunctionConfig, type FunctionConfigs, WHOLE_PROCESSOR_MB } from './functions-config.ts'

export interface ResourceFile {
  /** The path from the root, without the extension: functions/console/customers/search */
  readonly path: string
  readonly resource: Resource
}

export const resourcePaths = async (): Promise<string[]> =>
  (await filesBelow('functions/console')).sort((one, other) => ascending(basename(one), basename(other)))

/** Loads every resource. functions/console/ is the list. `load` returns the module at a path. */
export async function loadResourceFiles(load: (path: string) => unknown = loadFile): Promise<ResourceFile[]> {
  return Promise.all((await resourcePaths()).map(async (path) => resourceFile(path, await load(path))))
}

function resourceFile(path: string, module: unknown): ResourceFile {
  const { resource } = module as { readonly resource?: Resource }
  if (resource && basename(path) === resource.name) return { path, resource }
  throw new Error(`${path}.ts does not export the resource ${basename(path)}`)
}

/** The address of an operation below that of the page. */
export const pathOfOperation = ({ path }: Pick<Operation, 'path'>): string => `/console/api${path}`

/** The roles by the resource's access to the table; infra/roles.yml declares them. */
export const ROLES_OF_THE_CONSOLE: Readonly<Record<Resource['access'], string>> = {
  read: 'ReaderRole',
  write: 'ConsoleWriterRole',
  suspense: 'SuspenseRole',
  records: 'RecordsRole',
  documents: 'DocumentsRole',
}

/** A password takes a third of a second on a whole processor, a rate sheet of 100,000 rates some seconds. */
const NEEDS_A_PROCESSOR: readonly string[] = ['bank-files', 'records', 'reratings', 'session', 'sheets']

/** The page and its API: the stage's parameter `console` switches both. */
export const consoleConfigs = (files: readonly ResourceFile[]): FunctionConfigs => ({
  console: PAGE,
  ...Object.fromEntries(
    files.map((file) => [`console_${file.resource.name.replaceAll('-', '_')}`, configOf(file)]),
  ),
})

const PAGE: FunctionConfig = {
  handler: 'functions/console.handler',
  description: 'Serves the console and the description of the API.',
  role: 'BystanderRole',
  disableLogs: true,
  package: { patterns: ['.build/console/**'] },
  events: CONSOLE_ROUTES.map((path) => ({ http: { path, method: 'get' } })),
}

const configOf = ({ path, resource: { name, access, operations } }: ResourceFile): FunctionConfig => ({
  handler: `${path}.handler`,
  description: `The console's API: ${name}.`,
  role: ROLES_OF_THE_CONSOLE[access],
  ...(NEEDS_A_PROCESSOR.includes(name) && { memorySize: WHOLE_PROCESSOR_MB }),
  disableLogs: true,
  ...(access === 'documents' && { environment: { ARCHIVE_BUCKET: { Ref: 'ArchiveBucket' } } }),
  events: operations.map((one) => ({ http: { path: pathOfOperation(one), method: METHODS[one.verb] } })),
})

const METHODS = { GET: 'get', POST: 'post', PUT: 'put', DELETE: 'delete' } as const
