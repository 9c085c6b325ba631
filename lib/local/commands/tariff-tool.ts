import { Failure } from '#lib/local/failure.ts'
import type { Version } from '#lib/store/rates/prefix-versions.ts'
import { fromLine, keyOfLine } from '#lib/store/rates/rate-line.ts'
import { findTariff, linesOfRates, listTariffs, rollBackRates, type Tariff } from '#lib/store/rates/tariff.ts'
import type { Store } from '#lib/store/store.ts'

/** One line for each tariff, ascending by id. */
export async function describeTariffs(store: Store): Promise<string[]> {
  return (await listTariffs(store)).map(
    ({ id, name, purpose, currency, owner_id, active, previous }) =>
      `${id} ${name} (${purpose}, ${currency}, owner ${owner_id}): ${describe(active)}` +
      (previous ? `; before it ${describe(previous)}` : ''),
  )
}

const describe = (version: Version | undefined): string =>
  version ? `version ${version.version}, ${version.rows} rates, imported ${version.imported_at}` : 'no rates'

/** Brings back the version that was active before; a second time undoes that. */
export async function rollBackTariff(store: Store, word: string): Promise<string[]> {
  const tariff = await tariffNamed(store, word)
  const version = await rollBackRates(store, tariff.id)
  if (!version)
    throw new Failure(`Tariff ${tariff.id} has no version before: there is nothing to bring back.`)
  return [`${tariff.id} ${tariff.name}: ${describe(version)}`]
}

/** What the active version changed: `-` and `+` lines in the order of the rates, then the counts. */
export async function* diffTariff(store: Store, word: string): AsyncGenerator<string> {
  const tariff = await tariffNamed(store, word)
  const count = { added: 0, removed: 0, changed: 0 }
  const [before, after] = bothVersions(tariff).map((version) => linesIn(linesOfRates(store, tariff, version)))
  for await (const change of changes(before ?? linesIn([]), after ?? linesIn([]))) {
    if (change.before !== undefined) yield `- ${printed(change.before)}`
    if (change.after !== undefined) yield `+ ${printed(change.after)}`
    count[kindOf(change)] += 1
  }
  yield `${count.added} added, ${count.removed} removed, ${count.changed} changed`
}

function bothVersions({ id, active, previous }: Tariff): [previous: Version, active: Version] {
  if (active && previous) return [previous, active]
  throw new Failure(`Tariff ${id} has only one version: there is nothing to compare.`)
}

/** The tariff of an id. Throws Failure when there is none. */
export async function tariffNamed(store: Store, word: string): Promise<Tariff> {
  const tariff = /^\d{1,15}$/.test(word) ? await findTariff(store, Number(word)) : undefined
  if (!tariff) throw new Failure(`There is no tariff ${word}: npm run tariff -- list shows all of them.`)
  return tariff
}

interface RateChange {
  readonly before?: string | undefined
  readonly after?: string | undefined
}

const kindOf = ({ before, after }: RateChange): 'added' | 'removed' | 'changed' => {
  if (before === undefined) return 'added'
  return after === undefined ? 'removed' : 'changed'
}

async function* linesIn(pages: AsyncIterable<readonly string[]> | readonly (readonly string[])[]) {
  for await (const page of pages) yield* page
}

/** Both are in the order of their keys, so that only the next line of each need be known. */
async function* changes(
  before: AsyncGenerator<string>,
  after: AsyncGenerator<string>,
): AsyncGenerator<RateChange> {
  let [one, other] = [await before.next(), await after.next()]
  for (let next = nextPair(one, other); next; next = nextPair(one, other)) {
    if (next.before !== next.after) yield next
    if (next.before !== undefined) one = await before.next()
    if (next.after !== undefined) other = await after.next()
  }
}

function nextPair(one: IteratorResult<string>, other: IteratorResult<string>): RateChange | undefined {
  if (one.done && other.done) return undefined
  const order = orderOf(one, other)
  return { before: order <= 0 ? one.value : undefined, after: order >= 0 ? other.value : undefined }
}

/** Below 0: the first of both has a key that the other one lacks. */
function orderOf(one: IteratorResult<string>, other: IteratorResult<string>): number {
  if (one.done) return 1
  if (other.done) return -1
  const [key, otherKey] = [keyOfLine(one.value), keyOfLine(other.value)]
  if (key === otherKey) return 0
  return key < otherKey ? -1 : 1
}

function printed(line: string): string {
  const { prefix, destination, tariff_rate, con_fee, increment, min_time, ...rate } = fromLine(line)
  const since =
    rate.effective_from === undefined ? [] : [`from ${new Date(rate.effective_from * 1000).toISOString()}`]
  const price = `${tariff_rate} + ${con_fee} (${increment}/${min_time})`
  return [prefix, destination, price, `${rate.start_time}-${rate.end_time} ${rate.daytype}`, ...since].join(
    '  ',
  )
}
