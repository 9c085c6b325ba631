import { expect, test } from 'vitest'
import { replaceDocuments } from '#lib/billing/document.ts'
import { invoices, listInvoices } from '#lib/billing/invoice.ts'
import { rendered } from '#lib/invoicing/documents/rendered.ts'
import { settingsKey, settingsOf } from '#lib/settings/stored-settings.ts'
import { aBilledWorld, aCall, admin, issue, person } from '#test/invoicing/a-month.ts'
import { migrated, toMigrate } from '#test/releases/migrated.ts'
import { damageIn } from '#test/soundness.ts'
import type { World } from '#test/world.ts'
import { showInvoice } from '../invoices/show-tool.ts'
import { FROZEN_SINCE } from './freeze-documents.ts'

/** A table of an earlier release: its document does not keep what it is printed from. */
async function anEarlierWorld(): Promise<World> {
  const world = await aBilledWorld({
    users: [admin, person(10, { username: 'carol', vat_percent: '' })],
    calls: [aCall(10, '2026-05-03 10:00:00', '100')],
  })
  await world.set({ No_VAT_Reason: 'Small business' })
  await issue(world)
  const before = await invoices.find(world.store, (await theInvoice(world)).id)
  if (!before) throw new Error('The invoice is missing')
  const { facts, ...parties } = JSON.parse(before.parties)
  expect(facts).toBeDefined()
  await replaceDocuments(world.store, invoices, [
    { before, after: { ...before, parties: JSON.stringify(parties) } },
  ])
  await world.store.update(settingsKey, { set: { table_format: FROZEN_SINCE - 1 } })
  return world
}

async function theInvoice({ store }: World) {
  const [document] = (await Array.fromAsync(listInvoices(store, { user: 10 }))).flat()
  if (!document) throw new Error('The invoice is missing')
  return document
}

async function pageOf(world: World): Promise<string> {
  const source = { store: world.store, settings: await settingsOf(world.store) }
  const { pieces } = await rendered(source, { kind: 'invoice', document: await theInvoice(world) }, 'html')
  return Buffer.concat(await Array.fromAsync(pieces)).toString()
}

test('the migration lets a document keep what it would print now, once, and says so in it', async () => {
  const world = await anEarlierWorld()
  const before = await pageOf(world)
  expect(before).toContain('Small business')

  expect(await toMigrate(world)).toMatchObject({ frozen: 1, problems: 0 })
  expect((await theInvoice(world)).parties).not.toContain('"facts"')
  expect(await migrated(world)).toMatchObject({ frozen: 1, problems: 0 })
  await world.set({ No_VAT_Reason: 'Other', Language: 'de' })

  expect(await pageOf(world)).toBe(before)
  const { json, lines } = await showInvoice(world.store, 'A-2026-1')
  expect(json).toMatchObject({ prints_since: 'migration', files: [] })
  expect(lines.at(-1)).toBe('prints what held at its migration, not at its issue')
  expect(await damageIn(world)).toEqual([])
  await world.store.update(settingsKey, { set: { table_format: FROZEN_SINCE - 1 } })
  expect(await migrated(world)).toMatchObject({ frozen: 0, problems: 0 })
})
