import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout } from 'node:timers/promises'
import { build } from 'esbuild'
import { expect, inject, test } from 'vitest'
import { callKeys } from '#lib/store/calls/call.ts'
import { deviceRulePointerKey } from '#lib/store/devices/device-rule.ts'
import { deviceKey, type Key } from '#lib/store/keys.ts'
import { locationRulePointerKey } from '#lib/store/location-rules/location-rule.ts'
import type { DumpedItem } from '#test/dump.ts'
import { seeded } from '#test/examples/generated-rates.ts'
import { exampleTariffs } from '#test/examples/tariffs.ts'
import { aWritingWorld, bobsOtherPhone } from '#test/examples/writing.ts'
import { asInAws, readingApart } from '#test/faults/as-in-aws.ts'
import {
  type Blow,
  COPIES_GO_TO,
  DEVICE_RULES,
  extensionOf,
  fight,
  fightUntilKilled,
  idsFrom,
  KINDS,
  type Kind,
  PREFIXES,
  RULES,
} from '#test/faults/fight.ts'
import { damageIn } from '#test/soundness.ts'
import { SHARE } from '#test/sweep.ts'
import type { World } from '#test/world.ts'
import { esbuildOptions } from '#tools/deployment/bundles.ts'
import { root } from '#tools/machine/location.ts'
import { method as tariffRatesGet } from '../functions/rates/tariff_rates_get.ts'

/** In milliseconds: only ends one that hangs. */
const timeout = 1_800_000

/** Every run is another one; the seed of one that failed repeats what was sent, not how it met. */
const seed = Number(process.env['TOLLGATE_SEED'] ?? Math.floor(Math.random() * 1e9))

async function anArena(): Promise<World> {
  const world = await aWritingWorld({
    devices: [bobsOtherPhone],
    device_rules: DEVICE_RULES.map((id) => ({ id: String(id), device_id: '500', name: `R ${id}`, cut: '0' })),
    tariffs: exampleTariffs,
    rates: PREFIXES.map((prefix) => ({ tariff_id: '1', prefix, tariff_rate: '1' })),
  })
  await world.set({ API_Disable_hash_checking: '1' })
  return world
}

/** The problems after a fight: of the table, of the promises, of the list of rates. */
async function wrongAfter(world: World, journal: readonly Blow[]): Promise<string[]> {
  const dump = await world.dump()
  return [
    ...(await damageIn(world, dump)),
    ...brokenPromises(journal, dump),
    ...(await mixedRates(world, journal)),
  ]
}

/** A tariff has the rates of one import, all of them. */
async function mixedRates(world: World, journal: readonly Blow[]): Promise<string[]> {
  const document = await world.call(tariffRatesGet, 'admin', { tariff_id: 1 })
  const rates = [...document.matchAll(/<tariff_rate>([^<]*)</g)].map(([, rate]) => Number(rate))
  const sent = journal.filter(({ kind }) => kind === 'rates')
  const known = [1, ...sent.map(({ params }) => Number(params['tariff_rate']))]
  const isOne = new Set(rates).size === 1 && rates.length === PREFIXES.length && known.includes(rates[0] ?? 0)
  const isOld = rates[0] === 1 && sent.some(({ answer }) => answer === 'done')
  return isOne && !isOld ? [] : [`The tariff has the rates ${[...new Set(rates)]}, ${rates.length} of them`]
}

const isFailure = ({ answer = '' }: Blow): boolean =>
  /<error>(Internal error|Try again|The outcome is unknown)</.test(answer)

const say = (line: string) => process.stdout.write(`fights: ${line}, seed ${seed}\n`)

/** A request that loses every race is refused, and has changed nothing. */
const MOST_FAILURES = 30

/** The failures of others may make every login of a fight wait: then none is answered with success. */
const MAY_HAVE_TO_WAIT = 'user_login'

test('twenty who write at the same time all get what they were answered, and leave a sound table', {
  timeout,
}, async () => {
  const world = await anArena()
  const before = await world.dump()
  const table = { ...world.table, client: readingApart(world.table.client) }
  const services = { ...world.services, ...asInAws(table) }
  const blows = 600

  const journal = await fight(services, { seed, from: 1, blows, fighters: 20, note: () => {} })

  const failures = journal.filter(isFailure)
  say(`${blows} simultaneous writes, ${failures.length} failed`)
  expect(await wrongAfter(world, journal)).toEqual([])
  expect(brokenPromises(journal, before).length).toBeGreaterThan(MOST_FAILURES)
  expect(failures.length).toBeLessThan(MOST_FAILURES)
  const done = new Set(journal.filter(isDone).map(({ kind }) => kind))
  expect(KINDS.filter((kind) => !done.has(kind) && kind !== MAY_HAVE_TO_WAIT)).toEqual([])
})

/** A process that writes until it is killed, as one file that starts quickly. */
async function aFighter(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-fight-'))
  const start = fightUntilKilled.name
  const contents = `import { ${start} } from '#test/faults/fight.ts'\nvoid ${start}(process.env)`
  const outfile = join(folder, 'fighter.cjs')
  await build({ ...esbuildOptions(), absWorkingDir: root, stdin: { contents, resolveDir: root }, outfile })
  return outfile
}

/** Kills the process after so many lines and milliseconds. Returns its blows with their answers. */
async function fightAndDie(
  fighter: string,
  {
    environment,
    lines,
    milliseconds,
  }: { environment: Readonly<Record<string, string>>; lines: number; milliseconds: number },
): Promise<Blow[]> {
  const child = spawn(process.execPath, [fighter], {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit')
  const blows = new Map<number, Blow>()
  let heard = 0
  for await (const line of createInterface(child.stdout)) {
    heard += 1
    if (!line.endsWith('}')) continue
    const blow: Blow = JSON.parse(line)
    blows.set(blow.n, blow)
    if (heard === lines) void setTimeout(milliseconds).then(() => child.kill('SIGKILL'))
  }
  await ended
  return [...blows.values()]
}

/** All of them at night. */
const KILLS = Math.ceil(40 / SHARE)

test('a process that is killed while it writes leaves a sound table, with all that it was answered', {
  timeout,
}, async () => {
  const world = await anArena()
  const fighter = await aFighter()
  const chance = seeded(seed)
  const journal: Blow[] = []
  const wrong: string[] = []
  let kills = 0
  while (kills < KILLS && wrong.length === 0) {
    kills += 1
    const environment = {
      ENDPOINT: inject('endpoint'),
      TABLE: world.table.tableName,
      SEED: String(seed + kills),
      FROM: String(kills * 1000),
      TABLE_NAME: world.table.tableName,
    }
    const lines = 1 + Math.floor(chance() * 40)
    journal.push(...(await fightAndDie(fighter, { environment, lines, milliseconds: chance() * 20 })))
    wrong.push(...(await wrongAfter(world, journal)))
  }

  const unheard = journal.filter(({ answer }) => answer === undefined)
  say(`${kills} kills among ${journal.length} writes, ${unheard.length} of them without an answer`)
  expect(wrong).toEqual([])
  expect(unheard.length).toBeGreaterThan(0)
})

/** A sentence for each change that was answered with success and is missing afterwards. */
function brokenPromises(journal: readonly Blow[], dump: readonly DumpedItem[]): string[] {
  return CHECKS.flatMap((check) => check(journal, dump))
}

type Check = (journal: readonly Blow[], dump: readonly DumpedItem[]) => string[]

const NOT_DONE = /<error>|<status>failed</

const isDone = ({ answer }: Blow): boolean =>
  answer !== undefined && answer.length > 0 && !NOT_DONE.test(answer)

const of = (journal: readonly Blow[], kind: Kind): Blow[] => journal.filter((blow) => blow.kind === kind)

const done = (journal: readonly Blow[], kind: Kind): Blow[] => of(journal, kind).filter(isDone)

const itemsAt = (dump: readonly DumpedItem[], { PK, SK }: Key): DumpedItem[] =>
  dump.filter((item) => item.PK === PK && item.SK === SK)

const has = (dump: readonly DumpedItem[], key: Key): boolean => itemsAt(dump, key).length > 0

/** Created and never asked to be deleted: there. Deleted: gone. */
const comesAndGoes =
  ([creation, deletion]: readonly [Kind, Kind], id: string, keyOf: (id: number) => Key): Check =>
  (journal, dump) => {
    const doomed = new Set(of(journal, deletion).map(({ params }) => params[id]))
    const missing = idsFrom(journal, creation).filter((one) => !doomed.has(one) && !has(dump, keyOf(one)))
    const left = done(journal, deletion)
      .map(({ params }) => Number(params[id]))
      .filter((one) => has(dump, keyOf(one)))
    return [
      ...missing.map((one) => `${creation} gave ${one}, which is not there`),
      ...left.map((one) => `${deletion} of ${one} was made, which is there`),
    ]
  }

const deviceRules: Check = (journal, dump) => {
  const names = new Set(dump.filter(({ SK }) => SK.startsWith('RULE#')).map(({ name }) => name))
  const missing = done(journal, 'device_rule_create').filter(({ params }) => !names.has(params['name']))
  const left = done(journal, 'device_rule_delete').filter(({ params }) =>
    has(dump, deviceRulePointerKey(Number(params['device_rule_id']))),
  )
  return [...missing, ...left].map(({ n, kind }) => `${kind} ${n} was made, and is not to be seen`)
}

/** The stored value is the whole value of one of the blows, not the one from before. */
const changed =
  (kind: Kind, target: string, written: (item: DumpedItem, blow: Blow) => boolean): Check =>
  (journal, dump) =>
    [...new Set(done(journal, kind).map(({ params }) => Number(params[target])))].flatMap((id) => {
      const items = kind === 'device_update' ? itemsAt(dump, deviceKey(id)) : rulesWith(dump, id)
      const sent = of(journal, kind).filter(({ params }) => params[target] === id)
      const isWhole = items.length === 1 && items.every((item) => sent.some((blow) => written(item, blow)))
      return isWhole ? [] : [`${kind} of ${id} was made, and its outcome is none of those that were sent`]
    })

const rulesWith = (dump: readonly DumpedItem[], id: number): DumpedItem[] =>
  dump.filter(({ PK, SK, id: own }) => PK.startsWith('LOCATION#') && SK.startsWith('RULE#') && own === id)

/** A copy has no id of its own in its answer: so many there are. */
const copies: Check = (journal, dump) => {
  const created = new Set([...RULES, ...idsFrom(journal, 'location_rule_create')])
  const unheard = of(journal, 'location_rule_create').filter(({ answer }) => !answer).length
  const present = dump.filter(
    ({ PK, SK, id }) =>
      PK === `LOCATION#${COPIES_GO_TO}` && SK.startsWith('RULE#') && !created.has(Number(id)),
  ).length
  const [least, sent] = [done(journal, 'location_rule_copy').length, of(journal, 'location_rule_copy').length]
  return present < least || present > sent + unheard
    ? [`${least} to ${sent} copies were made, and ${present} are there`]
    : []
}

const exchangeRate: Check = (journal, dump) => {
  const sent = of(journal, 'exchange_rate_update').map(({ params }) => params['rate'])
  const rate = dump.find(({ PK }) => PK === 'CURRENCY#GBP')?.['exchange_rate']
  const isMade = done(journal, 'exchange_rate_update').length > 0
  return isMade && !sent.includes(String(rate)) ? [`The exchange rate is ${rate}, which nobody sent`] : []
}

const calls: Check = (journal, dump) =>
  of(journal, 'calls')
    .filter(
      ({ answer, params }) =>
        answer === 'done' && !has(dump, callKeys.item({ uniqueid: String(params['uniqueid']) })),
    )
    .map(({ n }) => `Call ${n} was taken in, and is not there`)

const CHECKS: readonly Check[] = [
  comesAndGoes(['device_create', 'device_delete'], 'device', deviceKey),
  comesAndGoes(['location_rule_create', 'location_rule_delete'], 'location_rule_id', locationRulePointerKey),
  deviceRules,
  changed(
    'device_update',
    'device',
    (item, { n }) => item['extension'] === extensionOf(n) && JSON.stringify(item).includes(`"c${n}"`),
  ),
  changed(
    'location_rule_update',
    'location_rule_id',
    (item, { n }) => item['name'] === `u${n}` && item['cut'] === String(n),
  ),
  copies,
  exchangeRate,
  calls,
]
