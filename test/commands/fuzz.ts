import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { type Command, InvalidArgumentError } from '@commander-js/extra-typings'
import { root } from '#tools/machine/location.ts'
import { CommandError } from '#tools/machine/terminal.ts'

/** The tests that compare drawn input with a model. Each has two properties. */
const MODELS = ['functions/devices/model.test.ts', 'lib/cdrs/model.test.ts']

export const declare = (command: Command) =>
  command
    .description(
      'It draws calls of the methods of devices and rules, and streams of CDRs, one after the other and at once, and compares the \
answers and the table with plain models. A failure prints the line that repeats it from test/fuzz/seeds.json.',
    )
    .option('--minutes <N>', 'the length of each of the four parts', minutesIn, 5)
    .action(({ minutes }) => fuzz(minutes))

/** Reads minutes, or a part of one. */
export function minutesIn(text: string): number {
  const minutes = Number(text)
  if (minutes > 0 && minutes <= 1440) return minutes
  throw new InvalidArgumentError('Use a number from 1 to 1440.')
}

async function fuzz(minutes: number): Promise<void> {
  const words = ['run', '--project', 'tests', '--testTimeout', '0', ...MODELS]
  const env = { ...process.env, TOLLGATE_FUZZ_MINUTES: String(minutes) }
  const vitest = ['node_modules/vitest/vitest.mjs', ...words]
  const [code] = await once(spawn(process.execPath, vitest, { cwd: root, stdio: 'inherit', env }), 'exit')
  if (code !== 0) throw new CommandError('A model and the system differ: see above')
}
