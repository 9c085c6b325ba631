import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, globSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import pMap from 'p-map'
import { suspendedAfter } from '#lib/cdrs/suspense/suspense.ts'
import { addIntake } from '#lib/cdrs/switches/intake-acts.ts'
import { secretOf } from '#test/acts/carry-out.ts'
import { basic } from '#test/mediation/intake.ts'
import { openTable } from '#tools/command-line/open-table.ts'
import { dataFilesOf, demoDataset } from '#tools/machine/data-folder.ts'
import { root } from '#tools/machine/program.ts'
import { listRunning, type Running } from '#tools/machine/running.ts'
import { freePort } from '#tools/server/engine.ts'
import { type BenchmarkTable, oneDecimal } from './report.ts'

/** How a switch sends: CDRs in a document, and documents that wait for their answer at once. */
const WAYS = [
  ['alone, one after another', 1, 1],
  ['alone, 10 at once', 1, 10],
  ['alone, 50 at once', 1, 50],
  ['100 in a document, 2 at once', 100, 2],
] as const

/** Posts CDRs to `npm start` with its database on the disk. The processor is that of its processes alone. */
export async function benchIntake(most: number): Promise<BenchmarkTable> {
  const dataset = mkdtempSync(join(tmpdir(), 'tollgate-bench-'))
  cpSync(demoDataset, dataset, { recursive: true })
  const port = await freePort()
  const words = ['start', '--data', dataset, '--port', String(port), '--json']
  const child = spawn(process.execPath, [`${root}tools/bin/tollgate.js`, ...words], { stdio: 'ignore' })
  try {
    const { url, location } = await runningOn(port, child)
    const store = openTable(location)
    const secret = await secretOf({ store, now: new Date() }, addIntake, { name: 'bench' })
    const headers = { authorization: basic('bench', secret), 'content-type': 'text/csv' }
    const post = async (body: string) => {
      const { status } = await fetch(`${url}/intake/csv`, { method: 'POST', headers, body })
      if (status !== 200) throw new Error(`The intake answered ${status}`)
    }
    await send(post, 'warm', 500, [1, 10])
    const rows: [string, string][] = []
    for (const [index, [way, each, atOnce]] of WAYS.entries()) {
      const cdrs = each === 1 ? most : 10 * most
      const [started, before] = [performance.now(), processorOf(Number(child.pid))]
      await send(post, `way${index}`, cdrs, [each, atOnce])
      const rate = Math.round((1000 * cdrs) / (performance.now() - started))
      const each_ms = (processorOf(Number(child.pid)) - before) / cdrs
      rows.push([way, `${oneDecimal(each_ms)} ms of processor a CDR, ${rate} CDRs a second`])
    }
    if ((await suspendedAfter(store, '', 1)).length > 0) throw new Error('A CDR was suspended')
    return { title: 'CDRs that a switch posts, on one machine', rows }
  } finally {
    const ended = once(child, 'exit')
    child.kill()
    await ended
    for (const path of [dataset, ...globSync(`${dataFilesOf(dataset).database.slice(0, -3)}*`)])
      rmSync(path, { recursive: true, force: true })
  }
}

async function runningOn(port: number, child: ChildProcess): Promise<Running> {
  while (child.exitCode === null) {
    const running = listRunning(root).find(({ url }) => new URL(url).port === String(port))
    if (running && (await fetch(`${running.url}/health`).catch(() => undefined))?.ok) return running
    await setTimeout(200)
  }
  throw new Error('npm start ended')
}

/** Sends `cdrs` CDRs, `each` in a document, of which `atOnce` wait for their answer. */
async function send(
  post: (body: string) => Promise<void>,
  name: string,
  cdrs: number,
  [each, atOnce]: readonly [each: number, atOnce: number],
): Promise<void> {
  const start = new Date(Date.now() - 60_000).toISOString()
  const line = (n: number) => `${name}-${n},${start},12025550140,442079460096,30,25,ANSWERED,2010,potomac`
  const documents = Array.from({ length: cdrs / each }, (_, document) =>
    [
      'uniqueid,start,src,dst,duration,billsec,disposition,sip_user,provider',
      ...Array.from({ length: each }, (_, n) => line(document * each + n)),
    ].join('\n'),
  )
  await pMap(documents, post, { concurrency: atOnce })
}

const MS_A_TICK = 10

/** The milliseconds of processor that a process and its children have used so far. */
function processorOf(id: number): number {
  const processes = readdirSync('/proc').flatMap((name) => {
    const fields = /^\d+$/.test(name) ? statOf(name) : undefined
    return fields
      ? [{ id: Number(name), parent: Number(fields[1]), ticks: Number(fields[11]) + Number(fields[12]) }]
      : []
  })
  const used = (one: number): number =>
    processes.reduce(
      (sum, { id: other, parent, ticks }) =>
        sum + (other === one ? ticks : 0) + (parent === one ? used(other) : 0),
      0,
    )
  return used(id) * MS_A_TICK
}

/** The fields of a process after its name, which may have blanks; `undefined` if it has ended. */
function statOf(id: string): string[] | undefined {
  try {
    return readFileSync(`/proc/${id}/stat`, 'utf8').split(') ').at(-1)?.split(' ')
  } catch {
    return undefined
  }
}
