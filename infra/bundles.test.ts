import { expect, test } from 'vitest'
import { buildBundles } from '#lib/local/deployment/bundles.ts'

const bundles = await buildBundles()

test('no function weighs more than a cold start can bear', () => {
  expect(bundles.filter(({ bytes, mostBytes }) => bytes === 0 || bytes > mostBytes)).toEqual([])
})

const UNUSED = [
  /credential-provider|client-sso|client-sts|token-providers|nested-clients/,
  /xml-js|fast-xml-parser|xml-builder|saxes/,
  /node_modules\/(@aws-sdk\/client-|@smithy|luxon)/,
  /cli-progress|lib\/(local|testing)\//,
]

test.each(UNUSED)('no function carries what it never uses: %s', (unused) => {
  const carried = bundles.flatMap(({ name, sources }) =>
    sources.filter((source) => unused.test(source)).map((source) => `${name}: ${source}`),
  )

  expect(carried).toEqual([])
})
