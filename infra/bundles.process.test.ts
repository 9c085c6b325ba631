import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { buildBundles } from '#tools/deployment/bundles.ts'
import { noticesText, packagesIn, shippedMetafiles } from '#tools/developing/package.ts'
import { root } from '#tools/machine/program.ts'
import { esbuildOptions } from '#tools/server/program-build.ts'

const bundles = await buildBundles()

const methods = bundles.filter(({ sources }) => sources.some((source) => source.includes('/@middy/')))

test('no bundle exceeds its size limit, which cold starts depend on', () => {
  const tooHeavy = bundles.filter(({ bytes, maxBytes }) => bytes === 0 || bytes > maxBytes)

  expect(tooHeavy.map(({ name, bytes }) => `${name}: ${bytes}`)).toEqual([])
})

const UNUSED = [
  /credential-provider(?!-env)|client-sso|client-sts|token-providers|nested-clients/,
  /submodules\/event-streams/,
  /luxon/,
  /cli-progress|^(bench|test|tools)\//,
]

test.each(UNUSED)('no bundle contains %s, which is never used', (unused) => {
  const carried = bundles.flatMap(({ name, sources }) =>
    sources.filter((source) => unused.test(source)).map((source) => `${name}: ${source}`),
  )

  expect(carried).toEqual([])
})

test('only functions that know the formats of CDRs bundle an XML parser', () => {
  const readers = bundles.filter(({ sources }) => sources.some((source) => /\/saxes\//.test(source)))

  expect(readers.map(({ name }) => name).sort()).toEqual([
    'ingest_calls',
    'ingest_files',
    'ingest_record_files',
  ])
})

test('devices_get bundles neither money, nor time zones, nor calls', () => {
  const { sources = [] } = methods.find(({ name }) => name === 'devices_get') ?? {}

  expect(sources).toContain('lib/devices/device-stored.ts')
  expect(sources.filter((source) => /big\.js|@date-fns|lib\/calls\//.test(source))).toEqual([])
})

const replacements = Object.values(esbuildOptions().alias ?? {}).map((path) => path.replace('./', ''))

test.each(replacements)('without %s the bundle would contain the real module', (replacement) => {
  const without = methods.filter(({ metafile }) => !(replacement in metafile.inputs))

  expect(methods).not.toEqual([])
  expect(without.map(({ name }) => name)).toEqual([])
})

test('no package is imported dynamically, because esbuild would wrap its modules', () => {
  const lazy = bundles.flatMap(({ sources, metafile: { inputs } }) =>
    sources.flatMap((source) =>
      (inputs[source]?.imports ?? [])
        .filter(({ kind, path }) => kind === 'dynamic-import' && path.startsWith('node_modules/'))
        .map(({ path }) => `${source} loads ${path}`),
    ),
  )

  expect(lazy).toEqual([])
})

test('a bundle imports nothing during a call', () => {
  const imports = bundles.flatMap(({ metafile: { outputs } }) =>
    Object.values(outputs).flatMap((output) =>
      output.imports.filter(({ kind }) => kind === 'dynamic-import'),
    ),
  )

  expect(imports).toEqual([])
})

test.each([
  ['the version from the package.json of AWS’s clients', /[\\/]package\.json$/],
  ['an empty parser of urlencoded bodies from busboy', /busboy.*urlencoded\.js$/],
  ['an empty SHA-256 from the SDK', /Sha256Js\.js$/],
  ['an empty formatter of headers of event streams', /HeaderFormatter\.js$/],
])('a bundle has only %s', (_what, file) => {
  const carried = bundles.flatMap(({ metafile: { outputs } }) =>
    Object.values(outputs).flatMap(({ inputs }) =>
      Object.entries(inputs).filter(([path]) => file.test(path)),
    ),
  )

  expect(carried.length).toBeGreaterThanOrEqual(methods.length)
  expect(carried.filter(([, { bytesInOutput }]) => bytesInOutput > 100)).toEqual([])
})

const packageIn = (path: string): string[] =>
  path.startsWith('node_modules/') ? (path.match(/^node_modules\/((?:@[^/]+\/)?[^/]+)/)?.slice(1) ?? []) : []

/** The files of our own that contribute code, and those that stand in for Node's modules in the browser. */
const isOwn = (source: string): boolean => !source.includes('node_modules/')

const metafiles = await shippedMetafiles()

/** The packages that Tollgate's own files import in all that a deployment carries. */
const shipped = metafiles.flatMap(({ inputs, outputs }) =>
  Object.values(outputs)
    .flatMap((output) => Object.keys(output.inputs).filter(isOwn))
    .flatMap((source) => inputs[source]?.imports ?? [])
    .flatMap(({ path }) => packageIn(path)),
)

/** Further needs of `npm start` in a checkout: release-folder.sweep.test.ts starts without others. */
const STARTING = [
  '@bomb.sh/tab',
  '@commander-js/extra-typings',
  'cli-progress',
  'commander',
  'esbuild',
  'fs-native-extensions',
  'nodemailer',
  'prom-client',
  'tollgate-command',
  'yaml',
]

test('what is deployed or starts is a dependency, any other package a dev one', () => {
  const { dependencies } = JSON.parse(readFileSync(`${root}package.json`, 'utf8'))

  expect(Object.keys(dependencies)).toEqual([...new Set([...shipped, ...STARTING])].sort())
})

test('each shipped package has a notice with a copyright and a text', () => {
  const packages = packagesIn(metafiles)
  const notices = noticesText(packages)

  expect(packages.map(({ name }) => name)).toEqual(expect.arrayContaining([...new Set(shipped)]))
  for (const { name, version, license, texts } of packages) {
    expect(notices).toContain(`${name} ${version} (${license})`)
    expect(texts.join(), name).toMatch(/copyright/i)
    expect(texts.join(), name).toMatch(/AS IS/)
  }
})
