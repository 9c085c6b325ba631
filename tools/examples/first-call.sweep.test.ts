import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { root } from '#tools/machine/location.ts'
import { importDemo } from './demo-copies.ts'
import { FIRST_CALL_FILE, firstCall } from './first-call.ts'

test('the commands of the recorded session print what the picture of the README shows', async () => {
  const demo = await importDemo()
  try {
    expect(await firstCall(demo)).toBe(readFileSync(`${root}${FIRST_CALL_FILE}`, 'utf8'))
  } finally {
    await demo.remove()
  }
}, 300_000)
