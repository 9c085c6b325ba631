import type { Command } from '@commander-js/extra-typings'
import { startDynamoDbLocal } from '#test/older-engine/dynamodb-local.ts'
import { startFront } from '#test/older-engine/front.ts'
import { runVitest } from '#test/run-vitest.ts'
import { CommandError } from '#tools/machine/terminal.ts'

export const declare = (command: Command) =>
  command
    .description(
      'The engine is DynamoDB Local of January 2020 (docs/data-model.md says how it differs). It is downloaded once, and needs Java.',
    )
    .argument(
      '[words...]',
      'the tests to run and options, as vitest takes them: all of npm test if there are none',
    )
    .allowUnknownOption()
    .action(testOlderEngine)

async function testOlderEngine(words: readonly string[]): Promise<void> {
  const engine = await startDynamoDbLocal()
  const front = await startFront(engine.endpoint)
  try {
    const environment = { DYNAMODB_ENDPOINT: front.endpoint, TOLLGATE_OLDER_ENGINE: 'true' }
    // The tests that check what the others have shown do not run: here, some of the others are skipped.
    const passed = await runVitest(['--project', 'tests', ...words], environment)
    if (!passed) throw new CommandError('Tests have failed: see above.')
  } finally {
    await front.stop()
    await engine.stop()
  }
}
