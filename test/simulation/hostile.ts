import type { APIGatewayProxyResult } from 'aws-lambda'
import { webhookKey } from '#lib/alerts/endpoint.ts'
import { MOST_TRIES } from '#lib/alerts/sender.ts'
import { holdName, holdsKey, readHolds } from '#lib/control/holds.ts'
import type { Key } from '#lib/table/keys.ts'
import { method as userDetailsUpdate } from '../../functions/accounts/user_details_update.ts'
import { method as paymentCreate } from '../../functions/billing/payment_create.ts'
import { resource as consolePayments } from '../../functions/console/money/payments.ts'
import { method as deviceCreate } from '../../functions/devices/device_create.ts'
import { method as deviceDelete } from '../../functions/devices/device_delete.ts'
import { method as deviceUpdate } from '../../functions/devices/device_update.ts'
import {
  type Acts,
  callMethod,
  control,
  controlBody,
  doneOf,
  isGivenUp,
  postToConsole,
  type Simulated,
  sendsWebhooks,
} from './actors.ts'
import { BOB, CAROL, DAVE, MALLORY, MIA, PAUL, TRUDY } from './dataset.ts'
import { SILENT_URL } from './installation.ts'

// Mallory, a reseller, and her customers Trudy and Mia want what is not theirs.

/** Mallory and Trudy try to change what is not theirs: each attempt has to be refused. */
export const triesHarm: Acts = (scene) => {
  const { draws, book } = scene
  const u = draws.one(['mallory', 'trudy'])
  const victim = draws.one([BOB, PAUL, CAROL, DAVE])
  const foreign = book.devices.filter(({ userId }) => userId !== TRUDY)
  const device = String(foreign[draws.below(foreign.length)]?.id ?? 0)
  const user_id = String(victim)
  const inConsole = (path: string, values: Readonly<Record<string, string>>) =>
    postToConsole(scene, consolePayments, u, path, values)
  const recorded = { customer: user_id, amount: '5', again: 'yes' }
  const [what, work] = draws.one([
    ['pays for', () => callMethod(scene, paymentCreate, harmfulPayment(u, user_id))],
    ['renames', () => callMethod(scene, userDetailsUpdate, { u, user_id, first_name: 'Mine' })],
    ['creates a device of', () => callMethod(scene, deviceCreate, { u, user_id, description: 'x' })],
    ['deletes a device beside', () => callMethod(scene, deviceDelete, { u, device })],
    ['records a payment of', () => inConsole('/payments', recorded)],
    ['adjusts', () => inConsole('/adjustments', { ...recorded, why: 'Mine' })],
  ] as const)
  return {
    who: u,
    what: `${what} ${victim}`,
    work,
    ended: (ending) => {
      const { statusCode = 0, body = '' } = doneOf<APIGatewayProxyResult>(ending) ?? {}
      const isDone = /<status>(ok|Device was deleted|User updated|device_created)|^{"(payment|id)"/.test(body)
      if (statusCode === 200 && isDone) scene.object(`tenants: ${u} ${what} ${victim}: ${body}`)
    },
  }
}

const harmfulPayment = (u: string, user_id: string) => ({
  ...{ u, user_id, p_currency: 'EUR', paymenttype: 'card', tax_in_amount: '', amount: '5' },
  ...{ transaction: 'mine', payer_email: 'a@b.c' },
})
/** A caller may send these as its Call-ID, in the encoding of a form: none of them is the id of a call. */
const UNFIT_IDS = [
  '%20a',
  'a%20',
  'a%C2%A0',
  'a%E2%80%83',
  'a%FF',
  'a%FE',
  'a%EF%BF%BD',
  '%00a',
  'a%0A',
  'a%ED%A0%80',
]

/** Trudy's callers choose Call-IDs that could be read as that of another call, or its very id. */
export const drawsCallIds: Acts = (scene) => {
  const { draws, installation, book } = scene
  const known = [...book.inProgress][draws.below(book.inProgress.size)]
  const isUnfit = known === undefined || draws.onceIn(2)
  const id = isUnfit ? draws.one(UNFIT_IDS).replace('a', known?.uniqueid ?? 'a') : known.uniqueid
  const path = draws.one(['authorize', 'release'] as const)
  const request = isUnfit
    ? {
        body: `call=${id}&dst=442079460000&account_code=trudy`,
        headers: { authorization: installation.authorization.get('fs1') ?? '' },
      }
    : controlBody(scene, { call: id, dst: '442079460000', account_code: 'trudy' })
  const holdsOfVictim = async () => {
    const item = known && (await installation.store().get(holdsKey(known.userId)))
    return item && known && readHolds(item).texts.get(holdName(known))
  }
  return {
    who: 'trudy',
    what: `calls as ${id}, ${path}`,
    work: async () => {
      const before = await holdsOfVictim()
      const answer = await control(request, path, scene)
      const isOpen = known !== undefined && !known.mayBeReleased && book.inProgress.has(known)
      if (isOpen && before !== undefined && (await holdsOfVictim()) !== before)
        scene.object(`tenants: ${path} of trudy changes the hold of ${known.uniqueid} of ${known.account}`)
      return answer
    },
    ended: (ending) => {
      const status = doneOf<APIGatewayProxyResult>(ending)?.statusCode
      if (isUnfit && status !== undefined && status < 400)
        scene.object(`tenants: the Call-ID ${id} is taken by ${path}`)
    },
  }
}

/** Names, ids and extensions of others, the next extension, and spellings of names. */
function foreignWord({ draws, book }: Simulated): string {
  const extensions = book.devices.flatMap(({ extension }) => (extension ? [Number(extension)] : []))
  const next = Math.max(1000, ...extensions) + 1 + draws.below(3)
  const known = String(extensions[draws.below(extensions.length)] ?? next)
  return draws.one(
    ['bob', 'Bob', 'b\u043eb', 'c\u0430rol', String(BOB), String(CAROL), known, next, next].map(String),
  )
}

/** Mallory gives the words of others to Mia and to devices of Trudy, or one word to both at once. */
export const takesNames: Acts = (scene) => {
  const { draws, book } = scene
  const word = foreignWord(scene)
  const [device] = book.devices.filter(({ userId, deleted }) => userId === TRUDY && !deleted)
  const u = 'mallory'
  const renames = (u9: string) => callMethod(scene, userDetailsUpdate, { u, user_id: String(MIA), u9 })
  if (draws.onceIn(3)) {
    const both = String(3000 + draws.below(3000))
    const creates = { u, user_id: String(TRUDY), extension: both }
    return {
      who: u,
      what: `calls mia and a new device ${both}`,
      work: () => Promise.all([renames(both), callMethod(scene, deviceCreate, creates)]),
    }
  }
  if (!device || draws.onceIn(2)) return { who: u, what: `calls mia ${word}`, work: () => renames(word) }
  const wanted = { u, device: String(device.id), device_name: word }
  return {
    who: u,
    what: `calls device ${device.id} ${word}`,
    work: () => callMethod(scene, deviceUpdate, wanted),
  }
}

/** A sender that finds Mallory's endpoint failing takes the one try in flight, or leaves the message. */
export const sendsToTheSilent: Acts = (scene) => {
  const { installation, draws } = scene
  const { services, webhooks, silentTries } = installation
  // A run does not last as long as all tries.
  for (const message of webhooks.messages)
    if (isGivenUp(message) && message.received > 0 && draws.onceIn(8))
      message.received = Math.max(message.received, MOST_TRIES - 1)
  const isLast = webhooks.messages.some(({ received }) => received >= MOST_TRIES - 1)
  const found: boolean[] = []
  let turns = 0
  const openStore: typeof services.openStore = (meter) => {
    const store = services.openStore(meter)
    const get: typeof store.get = async (key, ...how) => {
      const item = await store.get(key, ...how)
      if (isOfMallory(key)) found.push(item?.['failing_since'] !== undefined)
      return item
    }
    const update: typeof store.update = async (key, to, when) => {
      const item = await store.update(key, to, when)
      if (!isOfMallory(key) || to.set?.['try_until'] === undefined) return item
      turns += 1
      silentTries.push(Number(to.set['try_until']))
      return item
    }
    return { ...store, get, update }
  }
  const post: typeof installation.post = (request) => {
    const isTurn = !isLast && request.url === SILENT_URL && !request.body.includes('"challenge"')
    if (isTurn && found.every(Boolean)) turns -= 1
    if (turns < 0) scene.object('silent endpoint: it is tried beside another try')
    return installation.post(request)
  }
  return sendsWebhooks({
    ...scene,
    installation: { ...installation, post, services: { ...services, openStore } },
  })
}

const isOfMallory = ({ PK }: Key): boolean => PK === webhookKey(MALLORY, '').PK
