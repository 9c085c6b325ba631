import { balanceCounter, loginCounters } from '#lib/api/login.ts'
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
  /** Files in addition to the bundle. */
  readonly package?: { readonly patterns: readonly string[] }
  readonly events: readonly { readonly http: HttpEvent }[]
}

interface HttpEvent {
  readonly path: string
  readonly method: 'any' | 'get' | 'post' | 'put' | 'delete'
  readonly timeoutInMillis?: number
  readonly response?: { readonly transferMode: 'STREAM' }
}

export type FunctionConfigs = Readonly<Record<string, FunctionConfig>>

/** The counters of an address's attempts: LoginRole may write them, and nothing else. */
const COUNTERS_OF_ADDRESSES: readonly unknown[] = [loginCounters.address, balanceCounter.address]

/** The role of a method by its access to the table; infra/roles.yml declares them. */
export function roleOf({ access, loads, writes }: Pick<Contract, 'access' | 'loads' | 'writes'>): string {
  if (access === 'read') return 'ReaderRole'
  if (writes) return writes === 'accounts' ? 'AccountWriterRole' : 'PaymentWriterRole'
  return COUNTERS_OF_ADDRESSES.includes(loads?.['address']) ? 'LoginRole' : 'WriterRole'
}

const ROLE_WITHOUT_TABLE = 'BystanderRole'

/** With this memory a Lambda has a whole processor. */
export const WHOLE_PROCESSOR_MB = 1769

/**
 * Methods that need a whole processor without streaming. scrypt takes a third of a second on one. A statement
 * reads every document of its period before it answers, at about 8 µs each.
 */
const NEED_A_PROCESSOR: ReadonlySet<string> = new Set([
  'user_login',
  'user_register',
  'user_details_update',
  'financial_statements_get',
])

/** The path that switches send their CDRs to; infra/ingest-functions.yml also names it. */
export const INTAKE_PATH = '/intake/{format}'

/** The paths at which switches ask whether a call may begin; infra/ingest-functions.yml also names them. */
export const CONTROL_PATHS: Readonly<Record<string, string>> = {
  '/calls/authorize': 'functions/ingest/authorize_call',
  '/calls/release': 'functions/ingest/release_call',
}

/** Where Stripe reports payments; infra/stripe-on.yml also names it. */
export const STRIPE_PATHS: Readonly<Record<string, string>> = { '/stripe': 'functions/ingest/stripe' }

/** The timeout of an answer that is not streamed, as in serverless.yml: API Gateway waits 29 seconds. */
export const ANSWER_TIMEOUT_SECONDS = 28

/** The timeout of a streamed list; API Gateway allows up to fifteen minutes. */
const STREAM_TIMEOUT_SECONDS = 300

const STREAMED: Pick<HttpEvent, 'timeoutInMillis' | 'response'> = {
  timeoutInMillis: STREAM_TIMEOUT_SECONDS * 1000,
  response: { transferMode: 'STREAM' },
}

/** One Lambda for each method, with its name and its aliases, and one for all other paths. */
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
  role: roleOf(method),
  ...((method.streams || NEED_A_PROCESSOR.has(method.name)) && { memorySize: WHOLE_PROCESSOR_MB }),
  ...(method.streams && { timeout: STREAM_TIMEOUT_SECONDS }),
  disableLogs: true,
  events: routesOf(method).map((path) => ({
    http: { path, method: 'any', ...(method.streams && STREAMED) },
  })),
})

/** The paths of a method, and those that end in a parameter. */
export const routesOf = (method: Pick<Contract, 'name' | 'aliases' | 'inPath'>): string[] =>
  pathsOf(method).flatMap((path) => (method.inPath ? [path, `${path}/{${method.inPath}}`] : [path]))

/** The paths of a method, that of its own name first. */
export const pathsOf = ({ name, aliases = [] }: Pick<Contract, 'name' | 'aliases'>): string[] =>
  [name, ...aliases].map((called) => `/api/${called}`)
