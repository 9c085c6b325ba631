import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { services } from '#lib/billing/service.ts'
import { aFolder } from '#test/datasets/exported.ts'
import { everything } from '#test/examples/everything.ts'
import { aWorld } from '#test/world.ts'
import { everyItem } from '../command-line/open-table.ts'
import { reportSurplus, type SurplusOptions } from './surplus-report.ts'

const ids = everything.services.map(({ id = '' }) => id)

/** A table whose services have no subscriptions but one, and an export with these services. */
async function aWorldAndExport(exported: readonly string[]) {
  const { subscriptions, ...others } = everything
  const world = await aWorld({
    ...others,
    subscriptions: subscriptions.filter(({ service_id }) => service_id === '1'),
  })
  const [folder, other] = [await aFolder(), await aFolder()]
  onTestFinished(async () => {
    for (const made of [folder, other]) await rm(made, { recursive: true })
  })
  await writeFile(join(folder, 'services.csv'), `id\n${exported.map((id) => `${id}\n`).join('')}`)
  const list = join(other, 'surplus.csv')
  const report = (options: Partial<SurplusOptions> = {}) => {
    const pages = everyItem({ ...world.table, meter: world.meter })
    return reportSurplus(world.store, pages, folder, { list, ...options })
  }
  const stored = async () =>
    (await services.findMany(world.store, ids)).flatMap((service) => (service ? [String(service.id)] : []))
  return { report, stored, listed: () => readFile(list, 'utf8') }
}

test('without --remove the rows are only listed, with the reason why one stays', async () => {
  const { report, stored, listed } = await aWorldAndExport(['3'])

  expect(await report()).toBe(1)
  expect(await listed()).toBe(
    "file,id,name,stays\r\nservices,1,Flat rate,4 references to it\r\nservices,2,Rick's support,\r\n",
  )
  expect(await stored()).toEqual(ids)
})

test('without a terminal nothing is removed unless --yes agrees', async () => {
  const { report, stored } = await aWorldAndExport(['1', '2'])

  expect(await report({ remove: true })).toBe(1)
  expect(await stored()).toEqual(ids)
  expect(await report({ remove: true, yes: true })).toBe(0)
  expect(await stored()).toEqual(['1', '2'])
  expect(await report()).toBe(0)
})

test('nothing is removed while the table lacks export rows, unless the import refuses them', async () => {
  const { report, stored } = await aWorldAndExport(['1', '2', '77'])

  await expect(report({ remove: true, yes: true })).rejects.toThrow(
    'The table lacks 1 row of services: import the dataset first, or pass --accept-rejected if the import refuses them',
  )
  expect(await stored()).toEqual(ids)
  expect(await report({ remove: true, yes: true, acceptRejected: true })).toBe(0)
  expect(await stored()).toEqual(['1', '2'])
})
