import { setTimeout } from 'node:timers/promises'
import { findAccount } from '#lib/accounts/account.ts'
import { ALL_TIME, EVERY_DAY } from '#lib/base/calendar.ts'
import { listCreditNotes, type StoredNote } from '#lib/billing/credit-note.ts'
import { listInvoices, type StoredInvoice } from '#lib/billing/invoice.ts'
import { openAmount } from '#lib/billing/invoice-payment.ts'
import { listPayments, unassignedOf } from '#lib/billing/payment.ts'
import { assignCreditNote, assignPayment } from '#lib/billing/payments/assign-payment.ts'
import { recordPayment } from '#lib/billing/payments/record-payment.ts'
import { refundPayment } from '#lib/billing/payments/refund-payment.ts'
import { unassignCreditNote, unassignPayment } from '#lib/billing/payments/unassign-payment.ts'
import { writeOffInvoice } from '#lib/billing/payments/write-off.ts'
import { listCallDays, listCalls } from '#lib/calls/call-search.ts'
import { isChange, openRerater, storeRerated } from '#lib/calls/rating/rerating.ts'
import { creditInvoice } from '#lib/invoicing/credit-invoice.ts'
import { closeMonth } from '#lib/invoicing/journal/close-month.ts'
import { numberEveryone } from '#lib/invoicing/journal/number-entries.ts'
import { settingsOf } from '#lib/settings/stored-settings.ts'
import type { Store } from '#lib/table/store.ts'
import { importRows } from '#test/datasets/import-rows.ts'
import { closeBalances, openBalances } from '#tools/commands/balance/balance-opening.ts'
import { changeTimezone } from '#tools/commands/settings/settings-tool.ts'
import {
  type Acts,
  archives,
  carries,
  consumeRecords,
  type Deed,
  idInAnswer,
  isRefused,
  issueOf,
  monthsBefore,
  nameOf,
  notePaid,
  SELLERS,
  type Simulated,
  usernameOfSeller,
} from './actors.ts'
import { BOB, DAVE, NORA, plainRatesOf, RERATED, RICK, SIMULATED_FROM, VAT_CHANGES } from './dataset.ts'

// The books of the operator and Rick

/** They pay their invoices afterwards. */
const POSTPAID = [BOB, DAVE] as const

/** One of a customer's invoices, as whoever acts sees it. */
async function someInvoice(
  store: Store,
  userId: number,
  turn: number,
  isWanted: (invoice: StoredInvoice) => boolean,
): Promise<StoredInvoice | undefined> {
  const all = (await Array.fromAsync(listInvoices(store, { user: userId }))).flat() as StoredInvoice[]
  const wanted = all.filter(isWanted)
  return wanted[turn % Math.max(1, wanted.length)]
}

const isOpen = (invoice: StoredInvoice): boolean => Number(openAmount(invoice)) > 0

const HOW_MUCH = ['all', 'half', 'too much', 'dollars'] as const

/** The dollars for a euro are 1.25. */
function amountToPay(open: string, how: (typeof HOW_MUCH)[number]): string {
  const cents = Math.round(Number(open) * 100)
  const factor = { all: 1, half: 0.5, 'too much': 1.5, dollars: 1.25 }[how]
  return (Math.max(1, Math.floor(cents * factor)) / 100).toFixed(2)
}

/** A payment names an open invoice: all of it, less, more, in another currency, or what was paid already. */
export const paysInvoice: Acts = (scene) => {
  const { draws, book } = scene
  const [userId, how, turn] = [draws.one(POSTPAID), draws.one(HOW_MUCH), draws.below(100)]
  const reference = `I${book.next++}`
  return {
    who: usernameOfSeller(userId),
    what: `records ${how} of an invoice of ${userId} as ${reference}`,
    work: async () => {
      const store = scene.installation.store()
      const isPaidAgain = turn % 5 === 0
      const invoice = await someInvoice(store, userId, turn, (one) => isPaidAgain || isOpen(one))
      if (!invoice) return undefined
      const amount = amountToPay(isPaidAgain ? invoice.price : openAmount(invoice), how)
      const currency = how === 'dollars' ? 'USD' : 'EUR'
      notePaid(scene, reference, { userId, amount })
      return carries(scene, recordPayment, usernameOfSeller(userId), {
        ...{ customer: nameOf(userId), invoice: invoice.number, amount, currency, reference, again: 'yes' },
      })
    },
    ended: (ending) => {
      const index = book.payments.findIndex((one) => one.reference === reference)
      const id = idInAnswer(ending)
      if (index >= 0 && isRefused(ending)) book.payments.splice(index, 1)
      else if (index >= 0 && id !== undefined)
        Object.assign(book.payments[index] ?? {}, { id, known: 'done' })
    },
  }
}

const MOVES = ['assign', 'assign', 'assign', 'unassign', 'refund'] as const

/** A payment goes to an invoice, leaves its invoices, or is given back in part. */
export const movesPayment: Acts = (scene) => {
  const { draws, book } = scene
  const known = book.payments.filter(
    ({ id, userId }) => id !== undefined && (userId === BOB || userId === DAVE),
  )
  const paid = known[draws.below(known.length)]
  if (!paid) return undefined
  const [move, turn] = [draws.one(MOVES), draws.below(100)]
  const payment = String(paid.id)
  return {
    who: usernameOfSeller(paid.userId),
    what: `${move}s payment ${payment}`,
    work: async () => {
      const store = scene.installation.store()
      const by = usernameOfSeller(paid.userId)
      if (move === 'unassign') return carries(scene, unassignPayment, by, { payment })
      if (move === 'refund')
        return carries(scene, refundPayment, by, { payment, ...(turn % 2 === 0 && { amount: '0.53' }) })
      // What is released and not allocated yet is assigned by hand.
      if (turn % 2 === 0) await carries(scene, unassignPayment, by, { payment }).catch(refused)
      const invoice = await someInvoice(store, paid.userId, turn, isOpen)
      const part = turn % 3 === 0 ? '=0.37' : ''
      return invoice && carries(scene, assignPayment, by, { payment, invoices: `${invoice.number}${part}` })
    },
  }
}

function refused(error: unknown): void {
  if (!isRefused({ failed: error })) throw error
}

/** An invoice is credited: all of it, which opens its month again, or an amount. */
export const creditsInvoice: Acts = (scene) => crediting(scene, scene.draws.onceIn(3))

export const creditsPart: Acts = (scene) => crediting(scene, false)

function crediting(scene: Simulated, isWhole: boolean): Deed {
  const { draws, book } = scene
  const [userId, turn] = [draws.one([BOB, DAVE, RICK]), draws.below(100)]
  const seller = userId === DAVE ? 'rick' : ''
  const why = `Wrong ${book.next++}`
  return {
    who: 'admin',
    what: `credits ${isWhole ? 'an invoice' : '0.71 of an invoice'} of ${userId}`,
    work: async () => {
      const store = scene.installation.store()
      const invoice = await someInvoice(store, userId, turn, (one) => one.credited_by === '')
      if (!invoice) return undefined
      const wanted = { invoice: invoice.number, customer: nameOf(userId), why, again: 'yes' }
      if (isWhole) book.months.delete(`${seller} ${invoice.month}`)
      const amount = isWhole ? undefined : '0.71'
      return carries(scene, creditInvoice, 'admin', { ...wanted, amount })
    },
    // A run that was under way may have said meanwhile that the month is issued.
    ended: () => isWhole && book.months.clear(),
  }
}

export const writesOff: Acts = (scene) => {
  const { draws, book } = scene
  const [userId, turn] = [draws.one(POSTPAID), draws.below(100)]
  const why = `Lost ${book.next++}`
  return {
    who: usernameOfSeller(userId),
    what: `writes off an invoice of ${userId}`,
    work: async () => {
      const store = scene.installation.store()
      const invoice = await someInvoice(store, userId, turn, isOpen)
      return (
        invoice && carries(scene, writeOffInvoice, usernameOfSeller(userId), { invoice: invoice.number, why })
      )
    },
  }
}

/** A month of one customer, while somebody else may issue those of all. */
export const issuesOne: Acts = (scene) => {
  const [seller, customer] = scene.draws.one([
    ['', 'bob'],
    ['', 'rick'],
    ['', 'paul'],
    ['rick', 'dave'],
    ['rick', 'carol'],
  ] as const)
  return issueOf(scene, seller, customer)
}

/** A month is closed while payments of it are still recorded, and entries get their numbers. */
export const closesMonth: Acts = (scene) => {
  const { draws, outside, installation } = scene
  const seller = draws.one(SELLERS)
  const over = monthsBefore(new Date(outside.now))
  const month = over[draws.below(over.length)]
  if (month === undefined) return undefined
  const as = seller || 'admin'
  const paid = { customer: seller ? 'dave' : 'bob', amount: '3.17', date: `${month}-20`, again: 'yes' }
  const pays = () => carries(scene, recordPayment, as, paid)
  const closes = () => carries(scene, closeMonth, as, { month })
  const numbers = () => numberNow(installation)
  return {
    who: as,
    what: `closes ${month}`,
    work: () => Promise.all([closes(), pays(), pays(), numbers(), numbers()]),
  }
}

async function numberNow({ store }: Simulated['installation']) {
  const table = store()
  return numberEveryone({ store: table, settings: await settingsOf(table) })
}

export const numbersEntries: Acts = ({ installation }) => ({
  who: 'number_entries',
  what: 'runs',
  work: () => numberNow(installation),
})

/** The unassigned part of a credit note pays others, or is released from them. */
export const movesNote: Acts = (scene) => {
  const { draws, installation } = scene
  const [userId, isAssigned, turn] = [draws.one([BOB, DAVE, RICK]), draws.onceIn(2), draws.below(100)]
  return {
    who: usernameOfSeller(userId),
    what: `${isAssigned ? 'assigns' : 'releases'} a credit note of ${userId}`,
    work: async () => {
      const [store, by] = [installation.store(), usernameOfSeller(userId)]
      const notes = (await Array.fromAsync(listCreditNotes(store, { user: userId }))).flat() as StoredNote[]
      const note = notes[turn % Math.max(1, notes.length)]?.number
      if (note === undefined) return undefined
      const release = () => carries(scene, unassignCreditNote, by, { note })
      if (!isAssigned) return release()
      // What is released and not allocated yet is assigned by hand.
      if (turn % 2 === 0) await release().catch(refused)
      const invoice = await someInvoice(store, userId, turn, isOpen)
      const part = turn % 3 === 0 ? '=0.21' : ''
      return invoice && carries(scene, assignCreditNote, by, { note, invoices: `${invoice.number}${part}` })
    },
  }
}

/** Another VAT percent. What was paid or issued before stays. */
export const changesVat: Acts = (scene) => {
  const { draws, book } = scene
  const userId = draws.one(POSTPAID)
  const vat_percent = draws.one(VAT_CHANGES)
  book.vatOf.set(userId, new Set([...(book.vatOf.get(userId) ?? []), Number(vat_percent)]))
  return {
    who: 'admin',
    what: `sets the VAT of ${userId} to ${vat_percent}`,
    work: () =>
      importRows(
        { store: scene.installation.store(), clock: () => new Date() },
        { users: [{ id: String(userId), vat_percent }] },
      ),
  }
}

/** Nora pays, is given it back, or moves to the other seller, which is refused while something is left. */
export const movesCustomer: Acts = (scene) => {
  const { draws, installation } = scene
  const what = draws.one(['pays', 'pays', 'is refunded', 'moves', 'moves'])
  return {
    who: 'nora',
    what,
    work: async () => {
      const store = installation.store()
      const { owner_id = 0 } = (await findAccount(store, NORA)) ?? {}
      const by = owner_id === RICK ? 'rick' : 'admin'
      const paid = { customer: 'nora', amount: '7.13', again: 'yes' }
      if (what === 'pays') return carries(scene, recordPayment, by, paid)
      if (what === 'moves')
        return importRows(
          { store, clock: () => new Date() },
          { users: [{ id: `${NORA}`, owner_id: owner_id === RICK ? '0' : '2' }] },
        ).catch(refusedMove)
      const listed = (await Array.fromAsync(listPayments(store, { user: NORA }, ALL_TIME))).flat()
      const left = listed.find((one) => one.owner_id === owner_id && Number(unassignedOf(one)) > 0)
      return left && carries(scene, refundPayment, by, { payment: String(left.id) })
    },
  }
}

function refusedMove(error: Error): void {
  if (!error.message.includes('its balance is')) throw error
}

/** What was interrupted. Until then, balances count whatever they did. */
export const opensAgain: Acts = (scene) =>
  scene.book.opening === 'interrupted' ? opensBalances(scene) : undefined

/** In the simulated time: the timer itself is replaced for each simulation. */
export const waits = (milliseconds: number): Promise<void> => setTimeout(milliseconds)

const CHANGE_ZONE = changeTimezone(waits)

const ZONES = ['America/New_York', 'Pacific/Auckland', 'Europe/Berlin'] as const

/** Another zone, whose days stored calls move to; one at a time. A change that is killed is begun again. */
export const changesZone: Acts = (scene) => {
  const { draws, book } = scene
  const zone = draws.one(ZONES)
  if (book.zone === 'changing') return undefined
  book.zone = 'changing'
  return {
    who: 'admin',
    what: `changes the zone to ${zone}`,
    work: () => carries(scene, CHANGE_ZONE, 'admin', { zone }),
    ended: (ending) => {
      book.zone = ending !== 'killed' && 'done' in ending ? zone : 'unknown'
    },
  }
}

const OPENING_DAYS = [SIMULATED_FROM, '2026-05-20', '2026-06-10'] as const

/** Balances count from another day on; one change at a time. One that is killed is begun again. */
export const opensBalances: Acts = (scene) => {
  const { draws, book } = scene
  if (book.opening === 'running') return undefined
  book.opening = 'running'
  const day = draws.one(OPENING_DAYS)
  return {
    who: 'admin',
    what: `opens balances on ${day}`,
    work: async () => {
      if (draws.onceIn(2)) await carries(scene, CLOSE_BALANCES, 'admin')
      await carries(scene, OPEN_BALANCES, 'admin', { day })
    },
    ended: (ending) => {
      book.opening = ending !== 'killed' && 'done' in ending ? 'done' : 'interrupted'
    },
  }
}

/** A change of many writes is killed at any of them. */
const falling = (scene: Simulated, deed: Deed | undefined): Deed | undefined =>
  deed && { ...deed, fallsAfter: scene.draws.below(25) }

export const openingFalls: Acts = (scene) => falling(scene, opensBalances(scene))

export const zoneChangeFalls: Acts = (scene) => falling(scene, changesZone(scene))

/** Every transaction or update comes some milliseconds later. */
const slowly = <K extends 'transact' | 'update'>(store: Store, operation: K, milliseconds: () => number) => ({
  ...store,
  [operation]: async (...asked: Parameters<Store[K]>) => {
    await waits(milliseconds())
    return Reflect.apply(store[operation], store, asked)
  },
})

/** The installation with stores that are so slow. */
function slowed(scene: Simulated, operation: 'transact' | 'update', most: number): Simulated {
  const { draws, installation } = scene
  const { services } = installation
  const openStore: typeof services.openStore = (meter) =>
    slowly(services.openStore(meter), operation, () => draws.below(most))
  return { ...scene, installation: { ...installation, services: { ...services, openStore } } }
}

const archivesSlowly: Acts = (scene) => archives(slowed(scene, 'update', 60_000))

/** Calls that are archived, and did not leave the table yet, are corrected meanwhile. */
export const archivesWhileStored: Acts = (scene) => whileStored(scene, () => archivesSlowly(scene))

export const archivesInPieces: Acts = (scene) =>
  scene.draws.onceIn(4)
    ? falling(scene, archives(scene))
    : (archivesWhileStored(scene) ?? archivesSlowly(scene))

/** Consumers write calls by settings that they have read before. */
export const opensWhileStored: Acts = (scene) => whileStored(scene, () => opensBalances(scene))

/** Someone acts beside a consumer that is slow to write what it has read. */
function whileStored(scene: Simulated, beside: () => Deed | undefined): Deed | undefined {
  const takes = consumeRecords(slowed(scene, 'transact', 3000))
  const other = takes && beside()
  if (!other) return takes
  return {
    who: takes.who,
    what: `${takes.what}, while ${other.who} ${other.what}`,
    work: async () => (await Promise.all([takes.work(), other.work()]))[0],
    ended: (ending) => {
      takes.ended?.(ending)
      other.ended?.(ending)
    },
  }
}

/** Where balances were opened before: writers may have read the settings half a second before they write. */
export const opensWhilePaid: Acts = (scene) => {
  const { draws, book, installation } = scene
  const deed = book.opening === 'never' ? undefined : opensBalances(scene)
  if (!deed) return undefined
  const slow = slowly(installation.store(), 'transact', () => 400 + draws.below(150))
  const paid = { customer: 'bob', amount: '2.71', date: '2026-05-25', again: 'yes' }
  const pays = () => carries(scene, recordPayment, 'admin', paid, slow)
  return {
    ...deed,
    what: `${deed.what}, while bob pays`,
    work: () => Promise.all([deed.work(), pays(), pays()]),
  }
}

const [OPEN_BALANCES, CLOSE_BALANCES] = [openBalances(waits), closeBalances(waits)]

/** Another price of a prefix, also for its stored calls, whatever was invoiced. */
export const rerates: Acts = (scene) => {
  const { draws, installation } = scene
  const minute = draws.one(RERATED.minutes)
  return {
    who: 'admin',
    what: `rates ${RERATED.prefix} again, at ${minute}`,
    work: async () => {
      const store = installation.store()
      await importRows(
        { store: store, clock: () => new Date() },
        { rates: plainRatesOf(RERATED.tariff_id, minute) },
      )
      const rerate = await openRerater(store, { with: 'active', includeInvoiced: true, includePriced: false })
      const days = await listCallDays(
        store,
        ['everyone'],
        { ...EVERY_DAY, from: SIMULATED_FROM },
        await settingsOf(store),
      )
      for await (const some of listCalls(store, days, { from: 0, till: 9_999_999_999 }))
        await storeRerated(store, rerate, (await rerate(some)).filter(isChange))
    },
  }
}
