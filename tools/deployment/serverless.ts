import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { parse } from 'yaml'
import { root } from '#tools/machine/program.ts'
import { CommandError, printNote, usageError } from '#tools/machine/terminal.ts'
import { hasCredentials } from '../command-line/open-table.ts'

const PROGRAM = fileURLToPath(import.meta.resolve('serverless/bin/serverless.js'))

export async function runServerless(command: readonly string[]): Promise<void> {
  const child = spawn(process.execPath, [PROGRAM, ...command], { cwd: root, stdio: 'inherit' })
  const [code] = await once(child, 'exit')
  if (code !== 0) throw new CommandError(`serverless ${command[0]} failed with exit code ${code}: see above`)
}

/** The parameters of a stage in infra/stages.yml, over the defaults. */
function parametersOf(stage: string): Readonly<Record<string, unknown>> {
  const stages = parse(readFileSync(`${root}infra/stages.yml`, 'utf8'))
  return { ...stages.default, ...stages[stage] }
}

/** AWS's least and largest values: it refuses others only minutes into a deployment. */
const RANGES = {
  rollbackMinutes: [0, 180],
  silenceHours: [1, 168],
  wafRateLimit: [10, 2_000_000_000],
  callerLimit: [0, 1_000_000],
  monthlyBudget: [1, 1_000_000_000],
  switchLimit: [0, 1_000_000],
} as const

/**
 * Throws CommandError for a parameter of a stage that AWS would refuse. Warns on standard error if no address
 * receives its alarms, unless it is the stage to develop on.
 */
export function checkParameters(stage: string, parameters = parametersOf(stage)): void {
  for (const [name, [least, most]] of Object.entries(RANGES)) {
    const value = parameters[name] ?? ''
    const isAllowed = Number.isInteger(value) && Number(value) >= least && Number(value) <= most
    if (value === '' || isAllowed) continue
    throw new CommandError(
      `${name} of ${stage} is ${JSON.stringify(value)}: set a whole number from ${least} to ${most} in infra/stages.yml`,
    )
  }
  if (!parameters['alarmEmail']) warnOfNoAddress(stage, parameters)
}

function warnOfNoAddress(stage: string, { monthlyBudget }: Readonly<Record<string, unknown>>): void {
  if (monthlyBudget) throw new CommandError(`monthlyBudget of ${stage} needs alarmEmail: set both`)
  if (stage === 'dev') return
  printNote(
    `WARNING: the alarms of ${stage} have no recipient: set alarmEmail in infra/stages.yml, or subscribe to the topic in the output AlarmTopicArn.`,
  )
}

/** The output of `serverless`; `undefined` if it fails, as `info` does before a stage's deployment. */
export async function outputOfServerless(command: readonly string[]): Promise<string | undefined> {
  const child = spawn(process.execPath, [PROGRAM, ...command], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const [output, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')])
  return code === 0 ? output : undefined
}

/** Throws CommandError without credentials, before the minutes that packaging takes. */
export async function requireCredentials(): Promise<void> {
  if (await hasCredentials()) return
  throw new CommandError(
    'There are no AWS credentials: set AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, and run this again',
  )
}

/**
 * The options of `serverless` for a stage. Throws CommandError for a name that does not fit into the names of
 * functions, buckets and log groups.
 */
export function stageOptions(stage: string, region: string | undefined): string[] {
  if (/^[a-z][a-z0-9]{0,9}$/.test(stage)) return ['--stage', stage, ...(region ? ['--region', region] : [])]
  throw usageError(
    `"${stage}" is not a name of a stage: use up to ten lower-case letters and digits, a letter first`,
  )
}
