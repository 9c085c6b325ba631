import type { Contract } from '#lib/api/method.ts'
import type { FunctionFile } from './function-files.ts'

/** A function as serverless.yml declares it. */
export interface FunctionConfig {
  readonly handler: string
  readonly description: string
  readonly role: string
  readonly memorySize?: number
  /** Seconds. */
  readonly timeout?: number
  /** No log group of its own: all methods write into one (infra/logs.yml). */
  readonly disableLogs?: true
  readonly events: readonly { readonly http: HttpEvent }[]
}

interface HttpEvent {
  readonly path: string
  readonly method: 'any'
  readonly timeoutInMillis?: number
  readonly response?: { readonly transferMode: 'STREAM' }
}

export type FunctionConfigs = Readonly<Record<string, FunctionConfig>>

/** By what the method may do with the table; declared in infra/roles.yml. */
const ROLES: Readonly<Record<Contract['access'], string>> = { read: 'ReaderRole', write: 'WriterRole' }

const ROLE_WITHOUT_TABLE = 'BystanderRole'

/** From this much memory on, in MB, a Lambda has a whole processor: scrypt takes a third of a second of one. */
const WHOLE_PROCESSOR = 1769

/** Where switches bring their records; infra/ingest-functions.yml names it as well. */
export const INTAKE_PATH = '/intake/{format}'

/** Seconds for any other answer, as in serverless.yml: API Gateway waits 29. */
export const LONGEST_ANSWER = 28

/** Seconds for a list of any length; API Gateway gives a stream up to fifteen minutes. */
const LONGEST_STREAM = 300

const STREAMED: Pick<HttpEvent, 'timeoutInMillis' | 'response'> = {
  timeoutInMillis: LONGEST_STREAM * 1000,
  response: { transferMode: 'STREAM' },
}

/** One Lambda a method, under its name and its aliases, and one for every other path. */
export const functionConfigs = (files: readonly FunctionFile[]): FunctionConfigs => ({
  ...Object.fromEntries(files.map((file) => [file.method.name, configOf(file)])),
  not_found: {
    handler: 'functions/not_found.handler',
    description: 'Answers every path that names no method.',
    role: ROLE_WITHOUT_TABLE,
    disableLogs: true,
    events: ['/', '/{proxy+}'].map((path) => ({ http: { path, method: 'any' } })),
  },
})

const configOf = ({ path, method }: FunctionFile): FunctionConfig => ({
  handler: `${path}.handler`,
  description: method.summary,
  role: ROLES[method.access],
  ...((method.streams || method.name === 'user_login') && { memorySize: WHOLE_PROCESSOR }),
  ...(method.streams && { timeout: LONGEST_STREAM }),
  disableLogs: true,
  events: pathsOf(method).map((path) => ({
    http: { path, method: 'any', ...(method.streams && STREAMED) },
  })),
})

/** The paths a method answers under, its own name first. */
export const pathsOf = ({ name, aliases = [] }: Pick<Contract, 'name' | 'aliases'>): string[] =>
  [name, ...aliases].map((called) => `/api/${called}`)
