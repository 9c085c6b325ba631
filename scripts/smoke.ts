import type { Command } from '@commander-js/extra-typings'
import type { Contract } from '#lib/api/method.ts'
import { loadFunctionFiles } from '#lib/local/contracts/function-files.ts'
import { exampleOf } from '#lib/local/contracts/generated-files.ts'
import {
  edgeProbes,
  findFault,
  type Probe,
  signedProbe,
  unsignedProbes,
} from '#lib/local/deployment/smoke.ts'
import { CommandError } from '#lib/local/terminal.ts'

export const declare = (command: Command) =>
  command
    .description(
      'Every path of every method is called without a signature, and must refuse that. With the secret key in TOLLGATE_KEY the \
methods that read are called signed as well.',
    )
    .argument('<url>', 'that of the stage, without /api')
    .option('--as <USERNAME>', 'the caller of the methods that read', 'admin')
    .option('--demo', 'it holds the demo data: the examples have to be answered')
    .action(smoke)

interface SmokeOptions {
  readonly as: string
  readonly demo?: true | undefined
}

async function smoke(url: string, options: SmokeOptions): Promise<void> {
  if (!URL.canParse(url)) throw new CommandError(`${url} is not a URL.`)
  await fetch(url).catch(() => {
    throw new CommandError(`Nothing answers at ${new URL(url).origin}.`)
  })
  const methods = (await loadFunctionFiles()).map(({ method }) => method)
  const probes = [...methods.flatMap(unsignedProbes), ...signedProbes(methods, options), ...edgeProbes]
  const wrong = await failuresOf(probes, url.replace(/\/$/, ''))
  if (wrong > 0) throw new CommandError(`${wrong} of ${probes.length} calls went wrong.`)
  process.stdout.write(`${probes.length} calls, all as they should be.\n`)
}

/** Methods that write stay unsigned: nothing here may change anything. */
function signedProbes(methods: readonly Contract[], { as, demo }: SmokeOptions): Probe[] {
  const key = process.env['TOLLGATE_KEY']
  if (!key) return []
  return methods
    .filter(({ access, callers }) => access === 'read' && callers !== 'public')
    .map((method) => signedProbe(method, demo ? exampleOf(method.name) : { u: as }, key, demo ?? false))
}

async function failuresOf(probes: readonly Probe[], base: string): Promise<number> {
  let wrong = 0
  for (const probe of probes) {
    const complaint = await findFault(probe, base)
    process.stdout.write(
      `${complaint ? 'FAILED' : 'ok    '}  ${probe.name}${complaint ? ` ${complaint}` : ''}\n`,
    )
    if (complaint) wrong += 1
  }
  return wrong
}
