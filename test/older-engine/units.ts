import { skipTest } from '#test/skip.ts'

/** `npm run test:older-engine`: DynamoDB Local of January 2020 (docs/data-model.md, Other DynamoDB engines). */
const isOlderEngine = process.env['TOLLGATE_OLDER_ENGINE'] === 'true'

/** Skips a test that states capacity units: the older engine counts them in another way than AWS. */
export function skipUnits(): void {
  if (isOlderEngine) skipTest('it states units, which this engine counts in another way than AWS')
}

/** A line of the log. A test that reads units in it is skipped on the older engine, unless it reads the line as JSON. */
export function skippingUnits<T extends object>(line: T): T {
  if (!isOlderEngine) return line
  const units = Object.entries(line).filter(([name, value]) => name.endsWith('_units') && value !== 0)
  const read = (value: unknown) => () => {
    skipUnits()
    return value
  }
  const properties = units.map(([name, value]) => [name, { get: read(value), enumerable: true }])
  return Object.defineProperties(
    { ...line },
    { ...Object.fromEntries(properties), toJSON: { value: () => line } },
  )
}
