import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { carryOut } from '#lib/acts/act.ts'
import type { ActContext } from '#lib/acts/context.ts'
import { fixed, subtract } from '#lib/base/money.ts'
import { findInvoicesOfNumber } from '#lib/billing/invoice.ts'
import { openAmount } from '#lib/billing/invoice-payment.ts'
import { findFigures } from '#lib/billing/ledger/figures.ts'
import { entriesOfPayment, listPayments } from '#lib/billing/payment.ts'
import { recordPayment } from '#lib/billing/payments/record-payment.ts'
import { settingsOf } from '#lib/settings/stored-settings.ts'
import { damageIn } from '#test/soundness.ts'
import { aWorld, type World } from '#test/world.ts'
import { carryOutAs, contextAt } from '#tools/command-line/act-commands.ts'
import { root } from '#tools/machine/program.ts'
import { bookBankRows } from './book-rows.ts'
import { isCreditorReference, isQrReference } from './invoice-numbers.ts'
import { describeProposal, previewBankFile } from './preview.ts'
import { readBankFile } from './read-bank-file.ts'

/** A movement that every format can say. */
interface Movement {
  readonly day: string
  /** With two decimals. */
  readonly amount: string
  readonly currency: string
  readonly direction: 'in' | 'out' | 'returned'
  readonly payer: string
  readonly iban: string
  readonly text: string
  readonly reference: string
  /** End-to-end id; blank for none. */
  readonly id: string
}

const OWN = 'DE89370400440532013000'

const xml = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')

function camt(version: '02' | '08', movements: readonly Movement[], statement: string): string {
  const name = (text: string) =>
    version === '02' ? `<Nm>${xml(text)}</Nm>` : `<Pty><Nm>${xml(text)}</Nm></Pty>`
  const entries = movements.map(
    ({ day, amount, currency, direction, payer, iban, text, reference, id }, index) => `<Ntry>
<NtryRef>${index + 1}</NtryRef><Amt Ccy="${currency}">${amount}</Amt>
<CdtDbtInd>${direction === 'in' ? 'CRDT' : 'DBIT'}</CdtDbtInd>
${direction === 'returned' ? '<RvslInd>true</RvslInd>' : ''}
<Sts>${version === '02' ? 'BOOK' : '<Cd>BOOK</Cd>'}</Sts><BookgDt><Dt>${day}</Dt></BookgDt>
<NtryDtls><TxDtls><Refs><EndToEndId>${id || 'NOTPROVIDED'}</EndToEndId></Refs>
<RltdPties><Dbtr>${name(payer)}</Dbtr><DbtrAcct><Id><IBAN>${iban}</IBAN></Id></DbtrAcct></RltdPties>
<RmtInf>${text && `<Ustrd>${xml(text)}</Ustrd>`}${
      reference &&
      `<Strd><CdtrRefInf><Tp><CdOrPrtry><Cd>SCOR</Cd></CdOrPrtry></Tp><Ref>${reference}</Ref></CdtrRefInf></Strd>`
    }</RmtInf></TxDtls></NtryDtls></Ntry>`,
  )
  return `<?xml version="1.0" encoding="UTF-8"?>
<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.${version}"><BkToCstmrStmt>
<GrpHdr><MsgId>M${statement}</MsgId><CreDtTm>2026-03-09T06:00:00</CreDtTm></GrpHdr>
<Stmt><Id>${statement}</Id><Acct><Id><IBAN>${OWN}</IBAN></Id></Acct>${entries.join('\n')}</Stmt>
</BkToCstmrStmt></Document>`
}

/** Lines of at most 65 characters, as SWIFT has them. */
const wrapped = (text: string): string => text.replace(/(.{65})(?=.)/g, '$1\n')

const FIELD = /[\s\S]{1,27}/g

const details: Readonly<Record<'de' | 'nl' | 'pl', (one: Movement) => string>> = {
  de: ({ direction, payer, iban, text, reference, id }) => {
    const said = `EREF+${id || 'NOTPROVIDED'} SVWZ+${[text, reference].filter(Boolean).join(' ')}`
    const fields = (said.match(FIELD) ?? []).map((part, index) => `?${20 + index}${part}`)
    const code = direction === 'returned' ? '109' : '166'
    return wrapped(
      `${code}?00BUCHUNG?109310${fields.join('')}?30COBADEFFXXX?31${iban}?32${payer.slice(0, 27)}?33${payer.slice(27)}`,
    )
  },
  nl: ({ direction, payer, iban, text, reference, id }) =>
    wrapped(
      `/TRTP/SEPA OVERBOEKING/IBAN/${iban}/BIC/INGBNL2A/NAME/${payer}/REMI/${
        reference ? `STRD/ISO/${reference}` : `USTD//${text}`
      }/EREF/${id || 'NOTPROVIDED'}${direction === 'returned' ? '/RTRN/MS03' : ''}`,
    ),
  pl: ({ payer, iban, text, reference, id }) =>
    wrapped(
      `911 PRZELEW; Z RACH.: ${iban}; OD: ${payer}  UL. NIJAKA 1; TYT.: ${[text, reference].filter(Boolean).join(' ')}   ; TNR: ${id || '0'}`,
    ),
}

function mt940(bank: keyof typeof details, movements: readonly Movement[], statement: string): string {
  const lines = movements.map((one) => {
    const mark = { in: 'C', out: 'D', returned: bank === 'pl' ? 'RC' : 'D' }[one.direction]
    const day = one.day.replaceAll('-', '').slice(2)
    return `:61:${day}${day.slice(2)}${mark}${one.amount.replace('.', ',')}NTRFNONREF\n:86:${details[bank](one)}`
  })
  const [currency] = movements.map((one) => one.currency)
  return [
    ':20:STARTUMS',
    `:25:${OWN}`,
    `:28C:${statement}/1`,
    `:60F:C260301${currency}0,00`,
    ...lines,
    `:62F:C260309${currency}0,00`,
    '-',
  ].join('\r\n')
}

const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`

function csv(movements: readonly Movement[]): string {
  const rows = movements.map(({ day, amount, currency, direction, payer, iban, text, reference }) =>
    [
      day.split('-').reverse().join('.'),
      payer,
      iban,
      text,
      reference,
      `${direction === 'in' ? '' : '-'}${amount.replace('.', ',')}`,
      currency,
    ]
      .map(quoted)
      .join(';'),
  )
  return `${['Buchungstag;Beguenstigter/Zahlungspflichtiger;Kontonummer/IBAN;Verwendungszweck;Kundenreferenz;Betrag;Waehrung', ...rows].join('\n')}\n`
}

const FORMATS = {
  'CAMT.053 of version 02': (movements, statement) => camt('02', movements, statement),
  'CAMT.053 of version 08': (movements, statement) => camt('08', movements, statement),
  'MT940 of a German bank': (movements, statement) => mt940('de', movements, statement),
  'MT940 of a Dutch bank': (movements, statement) => mt940('nl', movements, statement),
  'MT940 of a Polish bank': (movements, statement) => mt940('pl', movements, statement),
  CSV: (movements) => csv(movements),
} as const satisfies Record<string, (movements: readonly Movement[], statement: string) => string>

// The world: ten customers with six invoices each, A-2026-1 to A-2026-60

const NAMES =
  'Anna Adams,Bert Bakker,Celia Conti,Dora Dvorak,Emil Egger,Fritz Fuchs,Greta Grau,Hugo Hahn,Ines Iwan,Jan Nowak'.split(
    ',',
  )

const customerOf = (invoice: number) => Math.floor((invoice - 1) / 6)

const INVOICES = Array.from({ length: 60 }, (_, index) => index + 1)

/** Every invoice has an amount of its own, but for those of the last customer. */
const grossOf = (invoice: number) => (customerOf(invoice) === 9 ? '50.00' : `${100 + invoice}.00`)

const user = (id: number, cells: Record<string, string>) => ({
  ...{ id: String(id), owner_id: '0', usertype: 'user', password_hash: '0'.repeat(40), ...cells },
})

const aBank = (settings: Record<string, string> = {}): Promise<World> =>
  aWorld(
    {
      users: [
        user(0, { username: 'admin', usertype: 'admin' }),
        ...NAMES.map((name, index) => {
          const [first_name = '', last_name = ''] = name.split(' ')
          return user(index + 10, { username: `c${index}`, first_name, last_name })
        }),
      ],
      currencies: [{ name: 'EUR', exchange_rate: '0.8' }],
      invoices: INVOICES.map((id) => ({
        ...{ id: String(id), user_id: String(customerOf(id) + 10), number: `A-2026-${id}` },
        ...{ issue_date: '2026-02-01', price: grossOf(id) },
      })),
    },
    { Balance_From: '2026-02-01', ...settings },
  )

const contextOf = ({ store, now }: World): Promise<ActContext> => contextAt(store, { as: 'admin', now })

async function previewed(world: World, text: string, answers: readonly string[] = []) {
  const context = await contextOf(world)
  return previewBankFile(context, await readBankFile(Buffer.from(text), {}), answers)
}

async function booked(world: World, text: string, answers: readonly string[] = []) {
  const { rows, agreed } = await previewed(world, text, answers)
  const by = { as: 'admin', now: world.now }
  return (await carryOutAs(world.store, bookBankRows(rows), by, { agreed })).answer
}

// The ways to pay

/** The check digits that make RF and the reference 1 by modulo 97. */
function rfOf(body: string): string {
  const found = Array.from({ length: 100 }, (_, check) => `RF${String(check).padStart(2, '0')}${body}`)
  return found.find(isCreditorReference) ?? ''
}

function qrOf(digits: string): string {
  const padded = digits.padStart(26, '0')
  return Array.from({ length: 10 }, (_, check) => `${padded}${check}`).find(isQrReference) ?? ''
}

const STRANGER = 'Zoe Zweig'

/** Each way to pay an invoice, or not to, and the expected proposal: what it pays, takes back or asks. */
const WAYS: readonly ((n: number, m: number) => readonly [Partial<Movement>, string])[] = [
  (n) => [{ text: `Invoice A-2026-${n} of February` }, `pays A-2026-${n}`],
  (n) => [{ text: `rechnung a-2026-${n}, danke` }, `pays A-2026-${n}`],
  (n) => [{ text: `A 2026 ${n}` }, `pays A-2026-${n}`],
  (n) => [{ text: `Rg. A2026/${String(n).padStart(4, '0')}` }, `pays A-2026-${n}`],
  (n) => [{ text: `telephone 2026-${n}` }, `pays A-2026-${n}`],
  (n) => [{ text: `telephone 2026-${n}`, amount: '1.00' }, 'asks amount_differs'],
  (n) => [{ text: `A-2026-${n}`, amount: '10.00' }, `pays A-2026-${n}`],
  (n) => [{ text: `A-2026-${n}`, amount: '900.00' }, 'asks more_than_open'],
  (n) => [{ text: `RE ${n}`, payer: NAMES[customerOf(n)] ?? '' }, `pays A-2026-${n}`],
  (n) => [{ text: `Street ${n}` }, 'asks nobody'],
  (n) => [{ text: '', reference: rfOf(`A2026${n}`) }, `pays A-2026-${n}`],
  (n) => [{ text: '', reference: qrOf(`2026${String(n).padStart(6, '0')}`) }, `pays A-2026-${n}`],
  (n) => [{ text: 'telephone', payer: (NAMES[customerOf(n)] ?? '').toUpperCase() }, `pays A-2026-${n}`],
  () => [{ text: 'telephone', payer: 'JAN NOWAK', amount: '50.00' }, 'asks amount_differs'],
  (n, m) => [{ text: `A-2026-${n} and A-2026-${m}`, amount: bothOf(n, m) }, `pays A-2026-${n} A-2026-${m}`],
  (n) => [{ text: `A-2026-${n} and A-2026-1`, amount: bothOf(n, 1) }, 'asks several_customers'],
  (n) => [{ text: `A-2026-${n}`, direction: 'out' }, 'outgoing'],
  () => [{ text: 'A-2026-9999' }, 'asks nobody'],
  () => [{ text: 'your help' }, 'asks nobody'],
  () => [{ text: 'A-2026-60' }, 'asks paid'],
  // Dutch banks write the time of a payment: jejik/rabobank-iban.sta, zilverline/mt940 abnamro.txt.
  (n) => [{ text: `PAS 1111 05-03-2026 ${n}:21` }, 'asks nobody'],
  (n) => [{ text: `telephone of 2026-${n}-05` }, 'asks nobody'],
  // Jan Nowak is not Janina Nowakowska.
  (n) => [{ text: 'telephone', payer: (NAMES[customerOf(n)] ?? '').slice(0, -1) }, 'asks nobody'],
  (n) => [{ text: `periodo 2025-12 a 2026-${n}`, amount: '10.00' }, 'asks amount_differs'],
]

const bothOf = (n: number, m: number): string => fixed(subtract(grossOf(n), subtract('0', grossOf(m))), 2)

/** Two invoices for each way: of one customer, and not of the last one. */
const MOVEMENTS = WAYS.map((way, index) => {
  const n = 2 * index + 3
  const [said, is] = way(n, n + 1)
  const movement: Movement = {
    ...{ day: `2026-03-0${1 + (index % 9)}`, amount: grossOf(n), currency: 'USD', direction: 'in' },
    ...{ payer: STRANGER, iban: `DE${30 + index}500105175407324931`, text: '', reference: '' },
    ...{ id: `E2E${index}`, ...said },
  }
  return { movement, is }
})

const PAID = 'A-2026-60'

/** A world in which the last invoice is paid. */
async function aBankWithAPayment(settings: Record<string, string> = {}): Promise<World> {
  const world = await aBank(settings)
  const paid = { customer: 'c9', amount: '50', invoice: PAID, reference: 'E2E-PAID' }
  await carryOut(recordPayment, await contextOf(world), paid)
  return world
}

test.each(Object.entries(FORMATS))('each way to pay is matched in %s', async (_, write) => {
  const world = await aBankWithAPayment()
  const before = await world.dump()
  const text = write(
    MOVEMENTS.map(({ movement }) => movement),
    '1',
  )

  const { rows } = await previewed(world, text)
  const found = rows.map(({ row, proposal }) => {
    const names = 'invoices' in proposal ? proposal.invoices : []
    if (proposal.does === 'pay') return `${row.amount} pays ${names.join(' ')}`
    return `${row.amount} ${proposal.does === 'ask' ? `asks ${proposal.why}` : 'outgoing'}`
  })
  expect(found).toEqual(MOVEMENTS.map(({ movement, is }) => `${subtract(movement.amount, '0')} ${is}`))
  expect(await world.dump()).toEqual(before)
})

test.each(Object.entries(FORMATS))(
  'a file as %s is booked once, also when it comes twice or overlaps another one',
  async (_, write) => {
    const world = await aBankWithAPayment()
    const movements = [11, 21, 31, 41].map(
      (n, index): Movement => ({
        ...{
          day: `2026-03-0${index + 2}`,
          amount: grossOf(n),
          currency: 'USD',
          direction: 'in',
          payer: STRANGER,
        },
        ...{ iban: 'DE30500105175407324931', text: `A-2026-${n}`, reference: '', id: `E2E${n}` },
      }),
    )
    const equal = { ...movements[0], text: 'A-2026-12', amount: '5.00' } as Movement
    const [first, second] = [movements.slice(0, 3), [...movements.slice(1), equal, equal]]

    expect(await booked(world, write(first, '1'))).toMatchObject({ booked: 3, refused: [], left: 0 })
    expect(await booked(world, write(first, '1'))).toMatchObject({ booked: 0 })
    expect(await booked(world, write(second, '2'))).toMatchObject({ booked: 3, refused: [] })
    const { rows } = await previewed(world, write([...second, equal], '3'))
    expect(rows.map(({ proposal }) => proposal.does)).toEqual([
      ...Array.from({ length: 5 }, () => 'booked'),
      'pay',
    ])
    expect(await openOf(world, 11, 12, 21, 31, 41, 51)).toEqual(['0', '102', '0', '0', '0', '151'])
    expect(await damageIn(world)).toEqual([])
  },
)

const openOf = async ({ store }: World, ...numbers: readonly number[]) =>
  Promise.all(
    numbers.map(async (n) => {
      const [invoice] = await findInvoicesOfNumber(store, `A-2026-${n}`)
      return invoice && openAmount(invoice)
    }),
  )

const movement = (said: Partial<Movement>): Movement => ({
  ...{ day: '2026-03-05', amount: '50.00', currency: 'USD', direction: 'in', payer: STRANGER, reference: '' },
  ...{ iban: 'DE30500105175407324931', text: PAID, id: 'E2E-PAID', ...said },
})

test.each([
  'CAMT.053 of version 08',
  'MT940 of a German bank',
  'MT940 of a Dutch bank',
  'MT940 of a Polish bank',
] as const)('a payment that came back in %s is taken back, once', async (format) => {
  const world = await aBankWithAPayment()
  const text = FORMATS[format]([movement({ direction: 'returned' })], '1')

  const { rows } = await previewed(world, text)
  expect(rows.map(({ proposal }) => proposal.does)).toEqual(['take back'])
  expect(await booked(world, text)).toMatchObject({ booked: 1, refused: [] })
  expect(await openOf(world, 60)).toEqual(['50'])
  expect((await previewed(world, text)).rows.map(({ proposal }) => proposal.does)).toEqual(['booked'])
  const other = FORMATS[format]([movement({ direction: 'returned', day: '2026-03-06' })], '2')
  expect((await previewed(world, other)).rows[0]?.proposal).toMatchObject({ does: 'ask', why: 'return' })
  expect(await damageIn(world)).toEqual([])
})

// The return of rabobank.sta, as the bank of its payee gets it: only its text says that it came back.
test.each(['returned', 'out'] as const)(
  'an answer tells which payment is taken back: %s',
  async (direction) => {
    const world = await aBankWithAPayment()
    const text = FORMATS['MT940 of a Dutch bank'](
      [movement({ direction, text: 'Terugboeking NIET AKKOORD', id: '', day: '2026-03-20' })],
      '1',
    )
    const proposalBy = async (...answers: readonly string[]) =>
      (await previewed(world, text, answers)).rows[0]?.proposal

    expect(await proposalBy()).toMatchObject({ does: 'ask', why: 'return' })
    expect(await proposalBy('1=A-2026-1')).toMatchObject({ does: 'ask', why: 'return' })
    expect(await proposalBy('1=@c9')).toMatchObject({ does: 'take back', customer: 19 })
    expect(await booked(world, text, ['1=A-2026-60'])).toMatchObject({ booked: 1, refused: [] })
    expect(await openOf(world, 60)).toEqual(['50'])
    expect(await damageIn(world)).toEqual([])
  },
)

test('other currencies are asked about, and an answer converts at the present rates', async () => {
  const world = await aBank()
  const text = (currency: string) =>
    FORMATS['CAMT.053 of version 02']([movement({ text: 'A-2026-55', amount: '40.00', currency })], '1')
  const whyOf = async (currency: string) => (await previewed(world, text(currency))).rows[0]?.proposal

  expect(await whyOf('EUR')).toMatchObject({ does: 'ask', why: 'other_currency', invoices: ['A-2026-55'] })
  expect(await whyOf('XXX')).toMatchObject({ does: 'ask', why: 'unknown_currency' })
  expect(await booked(world, text('EUR'), ['1=A-2026-55'])).toMatchObject({ booked: 1, refused: [] })
  expect(await openOf(world, 55)).toEqual(['0'])
  expect(await booked(world, text('XXX'), ['1=@c9'])).toMatchObject({
    booked: 0,
    refused: [{ place: 1, refusal: { code: 'unknown_currency' } }],
  })
  expect(await damageIn(world)).toEqual([])
})

test.each([
  ['EUR', 'Date,Text,Amount\n2026-03-02,A-2026-55,$40.00', 'ask'],
  ['EUR', 'Date,Text,Amount ($)\n2026-03-02,A-2026-55,40.00', 'ask'],
  ['USD', 'Date,Text,Amount\n2026-03-02,A-2026-55,$40.00', 'pay'],
  ['SEK', 'Date,Text,Amount\n2026-03-02,A-2026-55,"40,00 kr"', 'pay'],
  ['EUR', 'Date,Text,Amount\n2026-03-02,A-2026-55,"40,00 kr"', 'ask'],
])('a sign of several currencies is that of %s, or asked about: %s', async (Default_Currency, text, does) => {
  const world = await aBank({ Default_Currency })

  expect((await previewed(world, text)).rows[0]?.proposal).toMatchObject({ does })
})

test('an imported invoice with more decimals is paid by the amount that it prints', async () => {
  const world = await aBank()
  const invoice = { id: '70', user_id: '10', number: 'R-7/70', issue_date: '2026-02-01', price: '140.7488' }
  await world.given({ invoices: [{ ...invoice, currency: 'USD' }] })
  const text = FORMATS.CSV([movement({ text: 'ref r-7/70', amount: '140.75' })])
  const { rows } = await previewed(world, text)
  expect(rows[0]?.proposal).toMatchObject({ does: 'pay', invoices: ['R-7/70'] })
  await booked(world, text)
  const [payment] = (
    await Array.fromAsync(listPayments(world.store, { user: 10 }, { from: 0, till: 4e9 }))
  ).flat()
  expect([payment?.currency, payment && entriesOfPayment(payment)]).toEqual([
    'USD',
    [{ currency: 'USD', owed: '-140.75' }],
  ])
})

test('a short reference without check digits pays an invoice of that number by its amount only', async () => {
  const world = await aBank()
  const invoice = { id: '70', user_id: '10', number: '1045', issue_date: '2026-02-01', price: '100.00' }
  await world.given({ invoices: [invoice] })
  const proposalBy = async (reference: string, amount: string) =>
    (await previewed(world, FORMATS.CSV([movement({ text: '', reference, amount })]))).rows[0]?.proposal
  expect(await proposalBy('1045', '40.00')).toMatchObject({ does: 'ask', why: 'amount_differs' })
  expect(await proposalBy('1045', '100.00')).toMatchObject({ does: 'pay', invoices: ['1045'] })
  expect(await proposalBy(rfOf('1045'), '40.00')).toMatchObject({ does: 'pay', inPart: true })
})

test("a reseller's file is read by the format of its own numbers", async () => {
  const world = await aBank()
  const reseller = { username: 'rick', usertype: 'reseller', invoice_number_format: 'RR{year}/{n}' }
  await world.given({ users: [user(2, reseller), user(30, { username: 'carol', owner_id: '2' })] })
  const invoice = { id: '70', user_id: '30', number: 'RR2026/7', issue_date: '2026-02-01', price: '9.00' }
  await world.given({ invoices: [invoice] })
  const file = await readBankFile(
    Buffer.from(FORMATS.CSV([movement({ text: 'RR 2026 7', amount: '9.00' })])),
    {},
  )

  const { rows } = await previewBankFile(
    await contextAt(world.store, { as: 'rick', now: world.now }),
    file,
    [],
  )
  expect(rows[0]?.proposal).toMatchObject({ does: 'pay', customer: 30, invoices: ['RR2026/7'] })
})

test('a row that leaves something open says that it pays in part, after earlier rows', async () => {
  const world = await aBank()
  const amounts = ['1.00', '100.00', '1.00']
  const text = FORMATS.CSV(amounts.map((amount) => movement({ text: 'A-2026-1', amount, id: '' })))

  const { rows, customers } = await previewed(world, text)
  expect(rows.map((row) => describeProposal(row, customers))).toEqual([
    'pays A-2026-1 of Anna Adams in part, by its number',
    'pays A-2026-1 of Anna Adams, by its number',
    'its invoice is paid already (A-2026-1, @c0?)',
  ])
})

test('a name that more accounts may have than are read at once pays no invoice', async () => {
  const world = await aBank()
  const users = Array.from({ length: 65 }, (_, index) =>
    user(100 + index, { first_name: index % 64 ? `F${index}` : 'Olga', last_name: 'Huber' }),
  )
  const invoice = { id: '70', user_id: '100', number: 'A-2026-70', issue_date: '2026-02-01', price: '77.00' }
  await world.given({ users: users.map((one) => ({ ...one, username: `u${one.id}` })), invoices: [invoice] })
  const text = FORMATS.CSV([movement({ text: '', payer: 'Olga Huber', amount: '77.00' })])
  expect((await previewed(world, text)).rows[0]?.proposal).toMatchObject({ does: 'ask' })
})

test('an answer names invoices, a customer or nothing, and is refused for what it cannot name', async () => {
  const world = await aBank()
  const text = FORMATS.CSV(['one', 'two', 'three'].map((said) => movement({ text: said, amount: '230.00' })))
  const answers = ['1=A-2026-1, a-2026-2', '2=@c1', '3=skip']

  const { rows } = await previewed(world, text, answers)
  expect(rows.map(({ proposal }) => proposal)).toMatchObject([
    { does: 'pay', customer: 10, invoices: ['A-2026-1', 'A-2026-2'] },
    { does: 'pay', customer: 11, invoices: [] },
    { does: 'nothing', why: 'skipped' },
  ])
  await booked(world, text, answers)
  expect(await openOf(world, 1, 2)).toEqual(['0', '0'])
  const figures = await findFigures(world.store, await settingsOf(world.store), 10)
  expect(figures.map(({ unassigned }) => unassigned)).toEqual(['27'])
  for (const [answer, code] of [
    ['4', 'wrong_row_answer'],
    ['1=A-2026-1,A-2026-7', 'wrong_row_answer'],
    ['1=A-9', 'unknown_invoice'],
    ['1=@nobody', 'unknown_account'],
  ])
    await expect(previewed(world, text, [answer ?? ''])).rejects.toMatchObject({ code })
})

test('nothing is booked that was not agreed to, and a request books as many as it has time for', async () => {
  const world = await aBank()
  const text = FORMATS.CSV(
    [1, 2, 3].map((n) => movement({ text: `A-2026-${n}`, amount: grossOf(n), id: '' })),
  )
  const context = { ...(await contextOf(world)), mostAtOnce: 1 }
  const preview = await previewed(world, text)
  await booked(world, FORMATS.CSV([movement({ text: 'A-2026-2', amount: '1.00' })]))
  const again = await previewed(world, text)

  const act = bookBankRows(again.rows)
  await expect(carryOut(act, context, { agreed: preview.agreed })).rejects.toMatchObject({
    code: 'other_proposals',
  })
  const { answer } = await carryOut(act, context, { agreed: again.agreed })
  expect(answer).toMatchObject({ booked: 1, left: 1 })
  const rest = await previewed(world, text)
  expect(rest.agreed).toBe(answer.agreed)
})

test('a payment that another one of the same row meets is booked once', async () => {
  const world = await aBank()
  const text = FORMATS.CSV([movement({ text: 'A-2026-1', amount: '101.00' })])
  const { rows, agreed } = await previewed(world, text)
  const act = bookBankRows(rows)
  const by = { as: 'admin', now: world.now }

  await Promise.all([1, 2, 3].map(() => carryOutAs(world.store, act, by, { agreed })))
  const found = (
    await Array.fromAsync(listPayments(world.store, { user: 10 }, { from: 0, till: 4e9 }))
  ).flat()
  expect(found.map(({ amount, type, bank_row }) => [amount, type, bank_row])).toEqual([
    ['101', 'bank', rows[0]?.row.id],
  ])
})

test.each(['camt053.v2.xml', 'camt053.v8.xml'])(
  'the published file %s pays an invoice by the reference of its creditor, once',
  async (name) => {
    const world = await aBank()
    const invoice = { id: '70', user_id: '10', number: '4654654654654654', issue_date: '2014-12-01' }
    await world.given({ invoices: [{ ...invoice, price: '8.85', currency: 'EUR' }] })
    const text = readFileSync(join(root, 'test/bank-files', name), 'utf8')

    expect((await previewed(world, text)).rows.map(({ proposal }) => proposal)).toMatchObject([
      { does: 'pay', by: 'reference', customer: 10, invoices: [invoice.number] },
    ])
    expect(await booked(world, text)).toMatchObject({ booked: 1, refused: [], left: 0 })
    const [paid] = await findInvoicesOfNumber(world.store, invoice.number)
    expect(paid && openAmount(paid)).toBe('0')
    expect((await previewed(world, text)).rows.map(({ proposal }) => proposal.does)).toEqual(['booked'])
    expect(await damageIn(world)).toEqual([])
  },
)

test('a preview asks once a row, reads 5.1 units, and booking writes 18, of which 2 are its claim', async () => {
  const world = await aBank()
  const text = FORMATS.CSV(
    INVOICES.slice(0, 50).map((n) => movement({ text: `A-2026-${n}`, amount: grossOf(n), id: '' })),
  )
  const context = await contextOf(world)
  const spent = { ...world.meter.spent }
  const preview = await previewBankFile(context, await readBankFile(Buffer.from(text), {}), [])
  const read = world.meter.spent.read - spent.read
  expect(Math.round(read / 5) / 10).toBe(5.1)
  // Each number, and together: the claims, the invoices in two requests, the customers.
  expect(world.meter.spent.requests - spent.requests).toBe(50 + 4)
  const writes = world.meter.spent.write
  const by = { as: 'admin', now: world.now }
  await carryOutAs(world.store, bookBankRows(preview.rows.slice(0, 10)), by, {})
  expect((world.meter.spent.write - writes) / 10).toBe(18.4)
})
