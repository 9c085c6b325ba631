import {
  blockAccount,
  resetSecondFactor,
  setPassword,
  unblockAccount,
} from '#lib/acts/accounts/account-acts.ts'
import { addKey, revokeKey, rotateKey } from '#lib/acts/accounts/key-acts.ts'
import type { Act, ActOutcome } from '#lib/acts/act.ts'
import type { GivenTexts, Inputs } from '#lib/acts/inputs.ts'
import { listDeliveries } from '#lib/alerts/delivery.ts'
import { listEndpoints } from '#lib/alerts/endpoint.ts'
import {
  addWebhook,
  disableWebhook,
  enableWebhook,
  removeWebhook,
  resendWebhook,
  rotateWebhook,
  testWebhook,
} from '#lib/alerts/endpoint-acts.ts'
import { listCreditNotes } from '#lib/billing/credit-note.ts'
import { listInvoices } from '#lib/billing/invoice.ts'
import { confirmPayment } from '#lib/billing/payments/confirm-payment.ts'
import { setSettings } from '#lib/calls/set-settings.ts'
import { dropSuspendedCdrs, retrySuspendedCdrs } from '#lib/cdrs/pipeline/suspense-acts.ts'
import { listSuspended, suspendedText } from '#lib/cdrs/suspense/suspense.ts'
import { addIntake, revokeIntake } from '#lib/cdrs/switches/intake-acts.ts'
import { recountHolds, releaseHolds } from '#lib/control/hold-acts.ts'
import { recordActs } from '#lib/dataset/records/record-acts.ts'
import type { KindName } from '#lib/dataset/records/record-kinds.ts'
import { setOwnDetails } from '#lib/dataset/records/set-own-details.ts'
import { setRate } from '#lib/dataset/records/set-rate.ts'
import { setBrand } from '#lib/invoicing/documents/set-brand.ts'
import { inviteAccount } from '#lib/invoicing/mails/password-acts.ts'
import { remind } from '#lib/invoicing/mails/reminders.ts'
import { noteBounce, sendCreditNote, sendInvoice, sendMonth } from '#lib/invoicing/mails/send-acts.ts'
import { rollBackTariff } from '#lib/rates/acts/roll-back-tariff.ts'
import type { Store } from '#lib/table/store.ts'
import { makeCharges } from '#tools/commands/charges/charges.ts'
import { changeShards } from '#tools/commands/settings/settings.ts'
import { type Acts, carries, isRefused, monthsBefore, type Simulated, usernameOfSeller } from '../actors.ts'
import { waits } from '../bookkeepers.ts'
import { ALICE, BOB, DAVE, RERATED } from '../dataset.ts'
import { idsIn } from '../invariants.ts'
import { ROWS } from '../office.ts'
import type { Draws } from '../random.ts'

// Clerks do everything else that is an act, two at a time: there are few things, so that they meet.

/** Who does it, and what it is given; `undefined` if there is nothing to do it to. */
type Given = (
  draws: Draws,
  scene: Simulated,
  store: Store,
) => GivenTexts | undefined | Promise<GivenTexts | undefined>

type Deskwork = readonly [act: Act<Inputs, unknown>, as: string, given: Given]

const desk = <I extends Inputs, A>(act: Act<I, A>, as: string, given: Given): Deskwork => [
  act as unknown as Act<Inputs, unknown>,
  as,
  given,
]

const OF_FILES: readonly (readonly [KindName, keyof typeof ROWS])[] = [
  ['devices', 'devices'],
  ['device-rules', 'device_rules'],
  ['providers', 'providers'],
  ['dids', 'dids'],
  ['currencies', 'currencies'],
  ['locations', 'locations'],
  ['location-rules', 'location_rules'],
]

const REMOVABLE: readonly KindName[] = ['devices', 'device-rules', 'location-rules']

/** The rows that an import brings are also added, changed and removed one by one. */
const RECORDS: readonly Deskwork[] = [
  ...OF_FILES.flatMap(([kind, file]) => {
    const { add, change, remove } = recordActs(kind)
    const row = (draws: Draws) => ROWS[file]?.(draws) ?? {}
    return [
      desk(add, 'admin', (draws) => {
        const { id: _, ...cells } = row(draws)
        return cells
      }),
      desk(change, 'admin', (draws) => {
        const { id = '', name = '', ...cells } = row(draws)
        return { ...cells, id: kind === 'currencies' ? name : id }
      }),
      ...(REMOVABLE.includes(kind)
        ? [desk(remove, 'admin', (draws) => ({ id: String(row(draws)['id']), yes: 'yes' }))]
        : []),
    ]
  }),
  desk(recordActs('accounts').add, 'rick', ({ below }) => ({ username: `new${below(9)}` })),
  desk(recordActs('accounts').change, 'rick', ({ one }) => ({ id: 'dave', comment: one(['x', 'y']) })),
  desk(recordActs('tariffs').add, 'admin', ({ below }) => ({ name: `Unused ${below(9)}` })),
  desk(recordActs('tariffs').change, 'admin', ({ one }) => ({ id: '1', name: one(['Retail', 'Retail 1']) })),
  desk(recordActs('services').add, 'admin', () => ({ name: 'Fax', price: '1', charged: 'monthly' })),
  desk(recordActs('services').change, 'admin', ({ one }) => ({
    id: one(['1', '2']),
    price: one(['10', '11.11', '0.333']),
  })),
  desk(recordActs('subscriptions').add, 'admin', ({ one }) => ({
    ...{ user_id: 'bob', service_id: one(['1', '2']), from: one(['2026-05-10', '2026-06-03']), again: 'yes' },
  })),
  desk(recordActs('subscriptions').change, 'admin', ({ one }) => ({
    id: '1',
    till: one(['2026-06-20', '2026-08-01', '']),
  })),
]

const INVOICED = [BOB, DAVE] as const

/** The number of a document of Bob or of Dave. */
const numberOf = async (
  { one }: Draws,
  store: Store,
  user: number,
  list: typeof listInvoices | typeof listCreditNotes,
  isWanted: (number: string) => boolean = () => true,
) => {
  const all = (await Array.fromAsync<readonly { readonly number: string }[]>(list(store, { user }))).flat()
  const wanted = all.filter(({ number }) => isWanted(number))
  return wanted.length > 0 ? one(wanted).number : undefined
}

const MAILS: readonly Deskwork[] = [
  ...INVOICED.flatMap((user) => [
    desk(sendInvoice, usernameOfSeller(user), async (draws, _, store) => {
      const invoice = await numberOf(draws, store, user, listInvoices)
      return invoice === undefined ? undefined : { invoice, ...(draws.onceIn(4) && { again: 'yes' }) }
    }),
    desk(noteBounce, usernameOfSeller(user), async (draws, { installation: { mails } }, store) => {
      const isSent = (number: string) => mails.some(({ subject }) => subject.includes(number))
      const invoice = await numberOf(draws, store, user, listInvoices, isSent)
      return invoice === undefined ? undefined : { invoice }
    }),
    desk(sendCreditNote, usernameOfSeller(user), async (draws, _, store) => {
      const note = await numberOf(draws, store, user, listCreditNotes)
      return note === undefined ? undefined : { note }
    }),
    desk(remind, usernameOfSeller(user), () => ({})),
    desk(remind, usernameOfSeller(user), () => ({})),
    desk(sendMonth, usernameOfSeller(user), ({ one }, { outside }) => {
      const over = monthsBefore(new Date(outside.now))
      return over.length > 0 ? { month: one(over) } : undefined
    }),
  ]),
  desk(inviteAccount, 'admin', () => ({ account: 'nora' })),
]

const OF_ACCOUNTS: readonly Deskwork[] = [
  desk(blockAccount, 'rick', () => ({ account: 'dave', yes: 'yes' })),
  desk(unblockAccount, 'rick', () => ({ account: 'dave' })),
  desk(setPassword, 'admin', ({ below }) => ({ account: 'nora', password: `a new password ${below(3)}` })),
  desk(resetSecondFactor, 'admin', ({ onceIn }, { book }) => {
    if (!onceIn(2)) return undefined
    book.isFactorReset = true
    return { account: ALICE }
  }),
  desk(addKey, 'admin', ({ below }) => ({ name: `key${below(2)}`, as: 'bob', methods: 'devices_get' })),
  desk(rotateKey, 'admin', ({ below }) => ({ name: `key${below(2)}`, overlap: '2' })),
  desk(revokeKey, 'admin', ({ below }) => ({ name: `key${below(2)}` })),
  desk(setOwnDetails, 'bob', ({ one }) => ({ city: one(['Riga', 'Kaunas']) })),
  desk(confirmPayment, 'admin', ({ one }, { book }) => {
    const known = book.payments.filter(({ id, userId }) => id !== undefined && userId === BOB)
    return known.length > 0 ? { payment: String(one(known).id) } : undefined
  }),
]

const SECOND_URL = 'https://hooks.example.com/second'

const endpointOf = async (store: Store): Promise<{ readonly id: string } | undefined> =>
  (await listEndpoints(store, 0)).find(({ url }) => url === SECOND_URL)

const ofEndpoint: Given = async (_draws, _scene, store) => {
  const endpoint = await endpointOf(store)
  return endpoint && { id: endpoint.id }
}

const ENDPOINT: readonly Deskwork[] = [
  desk(addWebhook, 'admin', async (_draws, _scene, store) =>
    (await endpointOf(store)) ? undefined : { url: SECOND_URL, events: 'all' },
  ),
  desk(testWebhook, 'admin', ofEndpoint),
  desk(enableWebhook, 'admin', ofEndpoint),
  desk(disableWebhook, 'admin', ofEndpoint),
  desk(rotateWebhook, 'admin', ofEndpoint),
  desk(removeWebhook, 'admin', ofEndpoint),
  desk(resendWebhook, 'admin', async ({ one }, _scene, store) => {
    const { id } = one(await listEndpoints(store, 0))
    const sent = await listDeliveries(store, id, 20)
    return sent.length > 0 ? { id, message: one(sent).id } : undefined
  }),
]

const OF_INSTALLATION: readonly Deskwork[] = [
  desk(setSettings, 'admin', ({ one }) => ({
    Suspense_Days: one(['300', '301']),
    API_Payment_Confirmation: one(['0', '0', '0', '1']),
    Send_Invoices: one(['0', '1']),
  })),
  desk(setBrand, 'rick', ({ one }) => ({ footer: one(['HRB 1', 'HRB 2']) })),
  // A prefix that nobody calls.
  desk(setRate, 'admin', ({ below }) => ({ id: '2', prefix: '999', tariff_rate: `0.${1 + below(9)}` })),
  desk(rollBackTariff, 'admin', ({ one }) => ({ id: one(['2', RERATED.tariff_id]) })),
  desk(addIntake, 'admin', () => ({ name: 'gw9', zone: 'UTC' })),
  desk(revokeIntake, 'admin', () => ({ name: 'gw9' })),
  desk(makeCharges, 'admin', () => ({})),
  desk(changeShards(waits), 'admin', ({ one }) => ({ number: one(['2', '4', '8']) })),
  desk(releaseHolds, 'admin', () => ({ account: 'paul', expired: 'yes' })),
  desk(recountHolds, 'admin', () => ({ account: 'paul' })),
  desk(retrySuspendedCdrs, 'admin', () => ({ reason: 'unknown_account' })),
  desk(dropSuspendedCdrs, 'admin', async ({ one }, { book }, store) => {
    const [page = []] = await Array.fromAsync(listSuspended(store, { after: '' }))
    if (page.length === 0) return undefined
    const entry = one(page)
    for (const dropped of idsIn([await suspendedText(store, entry)])) book.dropped.add(dropped)
    return { id: entry.id, yes: 'yes' }
  }),
]

const DESKS = [RECORDS, MAILS, OF_ACCOUNTS, ENDPOINT, OF_INSTALLATION]

const ALL = DESKS.flat()

/** Two clerks at once. What one of them is refused, another one has done meanwhile. */
export const clerksWork: Acts = (scene) => {
  const { draws, book } = scene
  const next = ALL[book.turn++ % ALL.length] as Deskwork
  const beside = DESKS.find((tasks) => tasks.includes(next)) ?? ALL
  const tasks = [next, draws.one(beside)]
  return {
    who: 'clerks',
    what: tasks.map(([{ summary }, as]) => `${summary.split(/[:,;]/)[0]}, as ${as}`).join(' / '),
    work: () => Promise.all(tasks.map((task) => carriesTask(scene, task))),
  }
}

async function carriesTask(scene: Simulated, [act, as, givenFor]: Deskwork): Promise<unknown> {
  const store = scene.installation.store()
  const given = await givenFor(scene.draws, scene, store)
  if (!given) return undefined
  return carries(scene, act, as, given, store).then(
    (outcome) => noteSecret(scene, act, outcome),
    (error: unknown) => {
      if (!isRefused({ failed: error })) throw error
    },
  )
}

/** The receiver knows the secret that signs from now on; not that of an act without an answer. */
function noteSecret({ installation }: Simulated, act: object, { secret }: ActOutcome<unknown>): void {
  if (act === addWebhook || act === rotateWebhook) installation.secrets.delete(SECOND_URL)
  if (act === addWebhook && secret) installation.secrets.set(SECOND_URL, secret.text)
}
