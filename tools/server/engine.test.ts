import { expect, test, vi } from 'vitest'
import { root } from '#tools/machine/location.ts'
import { startEngine } from './engine.ts'

test('a binary that cannot run is reported in one sentence', async () => {
  vi.stubEnv('DYNOXIDE_BINARY', `${root}package.json`)

  await expect(startEngine()).rejects.toThrow(/^The embedded DynamoDB did not start: spawn /)
})
