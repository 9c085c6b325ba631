import { expect, test } from 'vitest'
import { bundleSizes, MOST_BUNDLE_BYTES } from '#lib/local/bundles.ts'

test('no function weighs more than a cold start can bear', async () => {
  const sizes = Object.entries(await bundleSizes())

  expect(sizes.filter(([, bytes]) => bytes > MOST_BUNDLE_BYTES)).toEqual([])
}, 60_000)
