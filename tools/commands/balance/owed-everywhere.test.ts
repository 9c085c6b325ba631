import { expect, test } from 'vitest'
import { aSignedClient } from '#test/console/console-client.ts'
import { estates, usernameOf } from '#test/examples/estates.ts'
import { damageIn } from '#test/soundness.ts'
import { aWorld, type World } from '#test/world.ts'
import { showAccount } from '../account/account.ts'
import { invoicesListing } from '../invoices/show-tool.ts'
import { receivablesReport } from '../report/receivables.ts'
import { showBalance } from './balance.ts'

const invoice = (id: string, cells: Readonly<Record<string, string>> = {}) => ({
  ...{ id, number: `A-${id}`, user_id: '10', issue_date: '2026-03-01' },
  ...{ price: '90', price_with_vat: '107.1', ...cells },
})

const payment = (id: string, amount: string, cells: Readonly<Record<string, string>> = {}) => ({
  ...{ id, user_id: '10', date: '2026-03-05 12:00:00', completed: '1', amount, ...cells },
})

/** Bob's owed, open and unassigned amounts in each place, in the default currency. */
async function saidOfBob(world: World): Promise<Record<string, unknown>> {
  const { store } = world
  type Ledger = readonly Readonly<Record<'currency' | 'owed' | 'open' | 'unassigned', string>>[]
  const figures = (ledger: unknown) =>
    (ledger as Ledger).map(({ owed, open, unassigned }) => [owed, open, unassigned].map(Number).join(' '))
  const report = await receivablesReport(store, {
    from: undefined,
    till: undefined,
    customers: new Set([10]),
  })
  const [admin, bob] = [await aSignedClient(world, usernameOf(0)), await aSignedClient(world, BOB)]
  const { body } = await admin.get('/documents', { kind: 'invoices', customer: 10 })
  const [listed] = body['documents'] as { id: number }[]
  const list = await invoicesListing(store, { user: 10 })
  const inLine = /owed, with VAT: (\S+) \S+ \(open invoices (\S+), unassigned (\S+)\)/.exec(list.summary(2))
  return {
    'report receivables': figures(await Array.fromAsync(report.rows)),
    'balance show': figures(((await showBalance(store, BOB)).json as { ledger: Ledger }).ledger),
    'account show': figures(((await showAccount(store, BOB, world.now)).json as { ledger: Ledger }).ledger),
    'invoices list': [inLine?.slice(1).join(' ')],
    customer: figures((await admin.get('/customers/10')).body['ledger']),
    invoice: figures((await admin.get(`/documents/invoices/${listed?.id}`)).body['ledger']),
    "the customer's page": figures((await bob.get('/own/month')).body['ledger']),
  }
}

const someUsers = { users: estates.users ?? [], tariffs: estates.tariffs ?? [] }

const BOB = usernameOf(10)

const PLACES = 7

const everywhere = (said: Record<string, unknown>) => new Set(Object.values(said).map(String))

test.each([['2026-03-01'], ['2026-04-01']])(
  'every place says what is owed, open and unassigned; the balance is kept from %s',
  async (Balance_From) => {
    const world = await aWorld(
      { ...someUsers, invoices: [invoice('1'), invoice('2')], payments: [payment('1', '273')] },
      { Balance_From, Customer_Page: '1' },
    )

    const said = await saidOfBob(world)
    expect(everywhere(said)).toEqual(new Set(['-58.8 214.2 273']))
    expect(Object.keys(said)).toHaveLength(PLACES)

    await world.given({
      credit_notes: [
        {
          id: '1',
          number: 'C-1',
          user_id: '10',
          issue_date: '2026-03-02',
          price: '10',
          price_with_vat: '11.9',
        },
      ],
      payments: [payment('1', '273', { completed: '0' }), payment('2', '7')],
      invoices: [invoice('3', { price: '1', price_with_vat: '1.19' })],
    })
    expect(everywhere(await saidOfBob(world))).toEqual(new Set(['196.49 215.39 18.9']))
    expect(await damageIn(world)).toEqual([])
  },
)

test('amounts of two currencies stand apart', async () => {
  const world = await aWorld({
    ...someUsers,
    currencies: [{ name: 'EUR', exchange_rate: '0.9' }],
    invoices: [invoice('1'), invoice('2', { currency: 'EUR' })],
  })
  const { body } = await (await aSignedClient(world, usernameOf(0))).get('/customers/10')

  expect(body['ledger']).toEqual([
    { currency: 'EUR', owed: '107.1000', open: '107.1000', unassigned: '0.0000' },
    { currency: 'USD', owed: '107.1000', open: '107.1000', unassigned: '0.0000' },
  ])
})
