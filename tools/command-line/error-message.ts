import { existsSync, mkdirSync, rmdirSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { Refusal } from '#lib/base/refusal.ts'
import { type TableLocation, withoutKey } from '#lib/table/table.ts'
import { UnreadableTable } from '#lib/table/table-format.ts'
import { shortPath } from '../machine/location.ts'
import { root, START_COMMAND } from '../machine/program.ts'
import { listRunning } from '../machine/running.ts'
import { CommandError, escapeLines } from '../machine/terminal.ts'
import { refusedCommand } from './remedies.ts'

const REFUSED_OR_FAILED = 1
const WRONG_USAGE = 2

/** Set this to also see where an unexpected error was thrown. */
const SHOW_STACK = 'TOLLGATE_STACK'

/** Prints an error on standard error and returns the exit code. */
export function reportError(error: unknown, location: TableLocation = { tableName: '' }): number {
  const shown = error instanceof Refusal ? refusedCommand(error) : error
  const message = errorMessage(shown, location) ?? unexpected(shown)
  process.stderr.write(`${escapeLines(message)}\n`)
  return shown instanceof CommandError && shown.isUsage ? WRONG_USAGE : REFUSED_OR_FAILED
}

/** A stack is for developers: others get one sentence. */
function unexpected(error: unknown): string {
  if (process.env[SHOW_STACK] && error instanceof Error) return String(error.stack)
  const [sentence] = String(error).split('\n')
  return `Unexpected: ${sentence}. Run it again with ${SHOW_STACK}=1 to see where, and report it`
}

/** One sentence about an error that the operator can mend; `undefined` for a bug, whose stack says more. */
export function errorMessage(error: unknown, location: TableLocation): string | undefined {
  if (!(error instanceof Error)) return undefined
  if (error instanceof CommandError || error instanceof UnreadableTable) return error.message
  const code = errorCode(error)
  const { endpoint } = location
  const shown = endpoint === undefined ? location : { ...location, endpoint: withoutKey(endpoint) }
  return MESSAGES[code]?.(shown, error) ?? fileMessage(code, error)
}

/** The errors of a server name their port, and those of services other than DynamoDB their service. */
type Failure = Error & { readonly port?: number; readonly service?: string }

const MESSAGES: Readonly<Record<string, (location: TableLocation, error: Failure) => string>> = {
  ResourceNotFoundException: ({ tableName, endpoint }) =>
    `There is no table ${tableName} at ${endpoint ?? 'AWS'}: name another one with --table or --endpoint`,
  ECONNREFUSED: ({ endpoint }, { service }) =>
    service
      ? `${service} does not answer: check S3_ENDPOINT`
      : `No answer from ${endpoint ?? 'AWS'}: is npm start running? Name another DynamoDB with --endpoint.`,
  ENOTFOUND: ({ endpoint }, { service }) =>
    endpoint && !service
      ? `${endpoint} is not found: check the name of the endpoint`
      : `${service ?? 'DynamoDB'} is not found in this region: check the name of the region, and the connection to AWS`,
  TimeoutError: ({ endpoint }, { service }) =>
    `${service ?? endpoint ?? 'DynamoDB'} did not answer in time: run the same command again later, it does the rest`,
  ERR_INVALID_URL: ({ endpoint }) =>
    `The endpoint ${endpoint ?? ''} is not a URL: write it as http://127.0.0.1:8000`,
  EADDRINUSE: (_location, { port }) =>
    `Port ${port} is taken: stop the program that listens there, or choose another port with --port`,
  UnrecognizedClientException: ({ endpoint }) =>
    endpoint
      ? `The engine at ${endpoint} admits the access key of its npm start only: name the installation with --data`
      : 'AWS does not know the access key: set AWS_PROFILE, or sign in again',
  DamagedData: () =>
    `The data file is damaged, or is cut off: put a copy of it in its place, or replace the data with ${START_COMMAND} --fresh`,
  CredentialsProviderError: notInAws,
  MissingRegion: notInAws,
  MissingPackage: (_location, { message }) =>
    `${message.split(' imported')[0]}: run npm ci, which also installs what development and deployment need`,
  ABORT_ERR: () => 'Stopped before an answer was given: run the same command again',
  AbortError: () => 'Interrupted: run the same command again, it resumes here',
}

/** A table without an endpoint is one of AWS, also while a local installation runs. */
function notInAws({ tableName }: TableLocation): string {
  const table = tableName === '' ? 'The table' : `The table ${tableName}`
  const local = listRunning(root).map(({ dataset }) => `--data ${shortPath(dataset)}`)
  const others = local.length > 0 ? `leave out --table, or pass ${local.join(' or ')}` : 'run npm start first'
  return `${table} is looked for in AWS, and its region or the credentials are not set: set AWS_REGION and AWS_PROFILE, name another DynamoDB with --endpoint, or ${others}`
}

function errorCode(error: Error): string {
  if (error.message.includes('Region is missing')) return 'MissingRegion'
  if (error.message.startsWith('Cannot find package ')) return 'MissingPackage'
  if (isOfEngine(error, 'disk is full')) return 'ENOSPC'
  if (isOfEngine(error, 'malformed')) return 'DamagedData'
  if (isOfNewFolder(error)) return reasonAgainstFolder(error.path)
  if ('code' in error && typeof error.code === 'string') return error.code
  return error.name
}

/** The embedded engine answers with the words of SQLite. */
const isOfEngine = ({ name, message }: Error, words: string): boolean =>
  name === 'InternalServerError' && message.includes(words)

const isOfNewFolder = (error: NodeJS.ErrnoException): error is Error & { readonly path: string } =>
  error.code === 'ENOENT' && error.syscall === 'mkdir' && typeof error.path === 'string'

/** Node's recursive mkdir says ENOENT of a read-only disk (nodejs/node#47098); a plain one says why. */
function reasonAgainstFolder(path: string): string {
  let missing = resolve(path)
  while (!existsSync(dirname(missing))) missing = dirname(missing)
  try {
    mkdirSync(missing)
    rmdirSync(missing)
    return 'ENOENT'
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? 'ENOENT'
  }
}

const FILE_PROBLEMS: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full: free some space, and run the same command again',
  EDQUOT: 'your quota of the disk is used up: free some space, and run the same command again',
  EROFS: 'the disk is read-only: choose another folder, or copy the files to one',
  EACCES: 'access is denied: check the owner and the permissions',
  EPERM: 'access is denied: check the owner and the permissions',
  ENOENT: 'it does not exist, or its folder does not: check the path',
  ENOTDIR: 'a part of the path is not a folder: check the path',
  EISDIR: 'it is a folder: name a file',
  ELOOP: 'it is a symbolic link: remove it, and run the same command again',
  EEXIST: 'it exists already: choose another name',
  EMFILE: 'too many files are open: raise the limit with ulimit -n',
}

function fileMessage(code: string, error: Error): string | undefined {
  const problem = FILE_PROBLEMS[code]
  if (problem === undefined) return undefined
  const path = 'path' in error && typeof error.path === 'string' ? shortPath(error.path) : undefined
  return path === undefined ? problem.replace(/^./, (letter) => letter.toUpperCase()) : `${path}: ${problem}`
}
