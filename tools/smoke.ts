import type { Command } from '@commander-js/extra-typings'
import type { Contract } from '#lib/api/method.ts'
import { answeringUrl } from '#tools/commands/method-call.ts'
import { loadFunctionFiles } from '#tools/contracts/function-files.ts'
import { exampleOf } from '#tools/contracts/generated-files.ts'
import { edgeProbes, findFault, type Probe, signedProbe, unsignedProbes } from '#tools/deployment/smoke.ts'
import { CommandError, printLine } from '#tools/machine/terminal.ts'

export const declare = (command: Command) =>
  command
    .description(
      'It calls every path of every method without a signature, which the method must refuse. Set TOLLGATE_KEY to the secret key \
to also call the methods that read with a signature, or to the secret of a named key with --as and --methods.',
    )
    .argument('<url>', 'the URL of the stage, with or without https:// and /api')
    .option('--as <USERNAME>', 'the caller of the methods that read', 'admin')
    .option(
      '--methods <METHODS>',
      'sign only calls of these methods, with commas between them: those of a named key (default: all that read)',
    )
    .option('--v2', 'sign with v2 in place of the hash')
    .option('--demo', 'the stage holds the demo data: also require the answers of the examples')
    .action(smoke)

interface SmokeOptions {
  readonly as: string
  readonly methods?: string | undefined
  readonly v2?: true | undefined
  readonly demo?: true | undefined
}

async function smoke(url: string, options: SmokeOptions): Promise<void> {
  const base = await answeringUrl(url)
  const methods = (await loadFunctionFiles()).map(({ method }) => method)
  const probes = [...methods.flatMap(unsignedProbes), ...signedProbes(methods, options), ...edgeProbes]
  const failed = await countFailures(probes, base)
  if (failed > 0) throw new CommandError(`${failed} of ${probes.length} calls failed: see above.`)
  printLine(`All ${probes.length} calls passed.`)
}

/** Probes of the methods that read: a smoke test changes nothing. */
function signedProbes(methods: readonly Contract[], options: SmokeOptions): Probe[] {
  const { as, demo, v2 } = options
  const key = process.env['TOLLGATE_KEY']
  if (!key) return []
  const named = options.methods?.split(',').map((name) => name.trim())
  return methods
    .filter(({ access, callers }) => access === 'read' && callers !== 'public')
    .filter(({ name }) => named?.includes(name) ?? true)
    .map((method) =>
      signedProbe(method, demo ? exampleOf(method.name) : { u: as }, {
        key,
        isV2: v2 ?? false,
        isDemo: demo ?? false,
      }),
    )
}

async function countFailures(probes: readonly Probe[], base: string): Promise<number> {
  let failed = 0
  for (const probe of probes) {
    const fault = await findFault(probe, base)
    printLine(`${fault ? 'FAILED' : 'ok    '}  ${probe.name}${fault ? ` ${fault}` : ''}`)
    if (fault) failed += 1
  }
  return failed
}
