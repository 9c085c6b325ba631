import type { Contract } from '#lib/api/method.ts'
import type { FunctionFile } from './function-files.ts'

/** A function as serverless.yml declares it. */
export interface FunctionConfig {
  readonly handler: string
  readonly description: string
  readonly role: string
  readonly memorySize?: number
  readonly events: readonly { readonly http: { readonly path: string; readonly method: 'any' } }[]
}

export type FunctionConfigs = Readonly<Record<string, FunctionConfig>>

/** By what the method may do with the table; declared in infra/roles.yml. */
const ROLES: Readonly<Record<Contract['access'], string>> = { read: 'ReaderRole', write: 'WriterRole' }

const ROLE_WITHOUT_TABLE = 'BystanderRole'

/** scrypt takes a third of a second of a whole processor, which a Lambda has from this much memory on. */
const MEMORY_FOR_SCRYPT = 1769

/** One Lambda a method, under its name and its aliases, and one for every other path. */
export const functionConfigs = (files: readonly FunctionFile[]): FunctionConfigs => ({
  ...Object.fromEntries(files.map((file) => [file.method.name, configOf(file)])),
  not_found: {
    handler: 'functions/not_found.handler',
    description: 'Answers every path that names no method.',
    role: ROLE_WITHOUT_TABLE,
    events: [anyVerb('/'), anyVerb('/{proxy+}')],
  },
})

const configOf = ({ path, method }: FunctionFile): FunctionConfig => ({
  handler: `${path}.handler`,
  description: method.summary,
  role: ROLES[method.access],
  ...(method.name === 'user_login' && { memorySize: MEMORY_FOR_SCRYPT }),
  events: pathsOf(method).map(anyVerb),
})

/** The paths a method answers under, its own name first. */
export const pathsOf = ({ name, aliases = [] }: Pick<Contract, 'name' | 'aliases'>): string[] =>
  [name, ...aliases].map((called) => `/api/${called}`)

const anyVerb = (path: string) => ({ http: { path, method: 'any' as const } })
