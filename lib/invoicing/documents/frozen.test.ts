import { expect, test } from 'vitest'
import { listCreditNotes } from '#lib/billing/credit-note.ts'
import { replaceDocuments } from '#lib/billing/document.ts'
import { findInvoices, invoices, listInvoices } from '#lib/billing/invoice.ts'
import { settingsOf } from '#lib/settings/stored-settings.ts'
import { aBilledWorld, aCall, admin, bill, person } from '#test/invoicing/a-month.ts'
import { addCreditNote } from '#test/invoicing/credited.ts'
import { changeBrand } from '#tools/commands/settings/settings.ts'
import { DOCUMENT_FORMAT_NAMES, type FoundDocument, rendered } from './rendered.ts'

const SELLER = {
  Seller_Name: 'Northwind',
  Seller_VAT_Number: 'DE123456789',
  Seller_Address: 'Hafen 1',
  Seller_Postcode: '20457',
  Seller_City: 'Hamburg',
  Seller_Contact: 'Accounts',
  Seller_Telephone: '+49 40 123456',
  Seller_Email: 'bills@northwind.example',
  Seller_Electronic_Address: '9930:DE123456789',
  No_VAT_Reason: '§ 19 UStG',
}

const carol = person(10, {
  username: 'carol',
  company_name: 'Dent KG',
  vat_number: 'DE987654321',
  ...{ address: 'Weg 1', postcode: '10115', city: 'Berlin', buyer_reference: '04011000-12345-34' },
  electronic_address: '9930:DE987654321',
  vat_percent: '',
  postpaid: '1',
})

async function anIssuedMonth() {
  const world = await aBilledWorld(
    { users: [admin, carol], calls: [aCall(10, '2026-05-03 10:00:00', '100')] },
    SELLER,
  )
  await changeBrand(world.store, { footer: 'HRB 1', colour: '#112233' }, { as: 'u0', now: world.now })
  await bill(world, { month: '2026-05', owner: 0 }, 'issue')
  await addCreditNote(
    world.store,
    { invoice: 'A-2026-1', why: 'Goodwill', amount: '1' },
    { as: 'u0', now: world.now },
  )
  return world
}

type IssuedWorld = Awaited<ReturnType<typeof anIssuedMonth>>

/** A credit note has no list of calls. */
const FORMATS = DOCUMENT_FORMAT_NAMES.filter((format) => format !== 'calls')

async function filesOf({ store }: IssuedWorld) {
  const [document] = (await Array.fromAsync(listInvoices(store, { user: 10 }))).flat()
  const [note] = (await Array.fromAsync(listCreditNotes(store, { user: 10 }))).flat()
  if (!document || !note) throw new Error('A document is missing')
  const found: readonly FoundDocument[] = [
    { kind: 'invoice', document },
    { kind: 'credit note', document: note },
  ]
  const source = { store, settings: await settingsOf(store) }
  const files = found.flatMap((one) => FORMATS.map((format) => [one, format] as const))
  return Promise.all(
    files.map(async ([one, format]) => {
      const { pieces } = await rendered(source, one, format)
      return Buffer.concat(await Array.fromAsync(pieces)).toString('latin1')
    }),
  )
}

/** Changes everything of the installation and the customer that documents are printed from. */
async function changeEverything(world: IssuedWorld) {
  await world.set({
    ...{ Seller_Name: 'Southwind', Seller_VAT_Number: 'FR32123456789', Seller_Address: 'Rue 2' },
    ...{
      Seller_City: 'Bremen',
      Seller_Email: 'x@example.com',
      Seller_Electronic_Address: 'EM:x@example.com',
    },
    ...{ No_VAT_Reason: 'Other', Language: 'de', Document_Paper: 'Letter' },
  })
  await world.given({
    users: [admin, { ...carol, username: 'caroline', company_name: 'Other', city: 'Bonn', language: 'fr' }],
  })
  await changeBrand(world.store, { footer: 'HRB 2', colour: '#445566' }, { as: 'u0', now: world.now })
}

test('an issued document has the same bytes in every format, whatever changes', async () => {
  const world = await anIssuedMonth()
  const before = await filesOf(world)
  expect(before[1]).toContain('HRB 1')
  expect(before[1]).toContain('§ 19 UStG'.replace('§', '\u00c2\u00a7'))

  await changeEverything(world)

  expect(await filesOf(world)).toEqual(before)
})

test('a look that was set by an earlier release is kept when a document is issued with it', async () => {
  const world = await aBilledWorld(
    { users: [admin, carol], calls: [aCall(10, '2026-05-03 10:00:00', '100')] },
    SELLER,
  )
  await world.store.transact([{ put: { PK: 'BRAND#0', SK: 'BRAND', logo: '', colour: '', footer: 'HRB 1' } }])
  await bill(world, { month: '2026-05', owner: 0 }, 'preview')
  expect((await world.dump()).filter(({ PK }) => String(PK).startsWith('BRANDKEPT'))).toEqual([])
  await bill(world, { month: '2026-05', owner: 0 }, 'issue')
  expect((await world.dump()).filter(({ PK }) => String(PK).startsWith('BRANDKEPT'))).toMatchObject([
    { footer: 'HRB 1' },
  ])
})

test('a document that was issued before documents kept their facts has those of now', async () => {
  const world = await anIssuedMonth()
  const before = await filesOf(world)
  const [{ id = 0 } = {}] = (await Array.fromAsync(listInvoices(world.store, { user: 10 }))).flat()
  const [invoice] = await findInvoices(world.store, [id])
  if (!invoice) throw new Error('The invoice is missing')
  const { facts, ...parties } = JSON.parse(invoice.parties)
  expect(facts).toMatchObject({ username: 'carol', noVatReason: '§ 19 UStG', language: 'en' })
  await replaceDocuments(world.store, invoices, [
    { before: invoice, after: { ...invoice, parties: JSON.stringify(parties) } },
  ])

  expect(await filesOf(world)).toEqual(before)
})
