import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout } from 'node:timers/promises'
import { build } from 'esbuild'
import { expect, inject, test } from 'vitest'
import { seeded } from '#test/examples/generated-rates.ts'
import { asInAws, readingApart } from '#test/faults/as-in-aws.ts'
import { damageIn } from '#test/soundness.ts'
import { SHARE } from '#test/sweep.ts'
import { sendTraffic } from '#test/traffic/clients.ts'
import { inProcess, RATES_IN_PROCESS, sendUntilKilled } from '#test/traffic/in-process.ts'
import { brokenPromises, isDone, mixedRates } from '#test/traffic/promises.ts'
import { TRAFFIC_SETTINGS, trafficRows } from '#test/traffic/rows.ts'
import { type SentStep, STEP_KINDS } from '#test/traffic/steps.ts'
import { aWorld, SECRET_KEY, type World } from '#test/world.ts'
import { esbuildOptions } from '#tools/deployment/bundles.ts'
import { root } from '#tools/machine/location.ts'

/** In milliseconds: only ends one that hangs. */
const timeout = 1_800_000

/** Every run is another one; the seed of one that failed repeats what was sent, not how it met. */
const seed = Number(process.env['TOLLGATE_SEED'] ?? Math.floor(Math.random() * 1e9))

const anArena = (): Promise<World> => aWorld(trafficRows(RATES_IN_PROCESS), TRAFFIC_SETTINGS)

/** The problems after a fight: of the table, of the promises, of the list of rates. */
async function wrongAfter(world: World, journal: readonly SentStep[]): Promise<string[]> {
  const dump = await world.dump()
  return [
    ...(await damageIn(world, dump)),
    ...brokenPromises(journal, dump),
    ...(await mixedRates(world.store, journal, RATES_IN_PROCESS)),
  ]
}

const isFailure = ({ answer = '' }: SentStep): boolean =>
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
  const steps = 800

  const journal = await sendTraffic({
    seed,
    from: 1,
    clients: Array(20).fill(STEP_KINDS),
    send: inProcess(services, SECRET_KEY),
    continues: (n) => n <= steps,
  })

  const failures = journal.filter(isFailure)
  say(`${steps} simultaneous steps, ${failures.length} failed`)
  expect(await wrongAfter(world, journal)).toEqual([])
  expect(brokenPromises(journal, before).length).toBeGreaterThan(MOST_FAILURES)
  expect(failures.length).toBeLessThan(MOST_FAILURES)
  const done = new Set(journal.filter(isDone).map(({ kind }) => kind))
  expect(STEP_KINDS.filter((kind) => !done.has(kind) && kind !== MAY_HAVE_TO_WAIT)).toEqual([])
})

/** A process that writes until it is killed, as one file that starts quickly. */
async function aFighter(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-fight-'))
  const start = sendUntilKilled.name
  const contents = `import { ${start} } from '#test/traffic/in-process.ts'\nvoid ${start}(process.env)`
  const outfile = join(folder, 'fighter.cjs')
  await build({ ...esbuildOptions(), absWorkingDir: root, stdin: { contents, resolveDir: root }, outfile })
  return outfile
}

/** Kills the process after a number of lines and milliseconds. Returns its steps with their answers. */
async function fightAndDie(
  fighter: string,
  {
    environment,
    lines,
    milliseconds,
  }: { environment: Readonly<Record<string, string>>; lines: number; milliseconds: number },
): Promise<SentStep[]> {
  const child = spawn(process.execPath, [fighter], {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit')
  const steps = new Map<number, SentStep>()
  let heard = 0
  for await (const line of createInterface(child.stdout)) {
    heard += 1
    if (!line.endsWith('}')) continue
    const step: SentStep = JSON.parse(line)
    steps.set(step.n, step)
    if (heard === lines) void setTimeout(milliseconds).then(() => child.kill('SIGKILL'))
  }
  await ended
  return [...steps.values()]
}

/** All of them at night. */
const KILLS = Math.ceil(40 / SHARE)

test('a process that is killed while it writes leaves a sound table, with all that it was answered', {
  timeout,
}, async () => {
  const world = await anArena()
  const fighter = await aFighter()
  const chance = seeded(seed)
  const journal: SentStep[] = []
  const wrong: string[] = []
  let kills = 0
  while (kills < KILLS && wrong.length === 0) {
    kills += 1
    const environment = {
      ENDPOINT: inject('endpoint'),
      SEED: String(seed + kills),
      FROM: String(kills * 1000),
      KEY: SECRET_KEY,
      TABLE_NAME: world.table.tableName,
    }
    const lines = 1 + Math.floor(chance() * 50)
    journal.push(...(await fightAndDie(fighter, { environment, lines, milliseconds: chance() * 20 })))
    wrong.push(...(await wrongAfter(world, journal)))
  }

  const unheard = journal.filter(({ answer }) => answer === undefined)
  say(`${kills} kills among ${journal.length} steps, ${unheard.length} of them without an answer`)
  expect(wrong).toEqual([])
  expect(unheard.length).toBeGreaterThan(0)
})
