import { createHash, createHmac } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { Readable } from 'node:stream'
import timersPromises from 'node:timers/promises'
import { findCallers } from '#lib/accounts/account.ts'
import { hashCost } from '#lib/accounts/password.ts'
import { secondFactorSet } from '#lib/accounts/second-factor.ts'
import { createSession } from '#lib/accounts/session.ts'
import type { Mail, SendMail } from '#lib/alerts/mail.ts'
import type { PostWebhook } from '#lib/alerts/post.ts'
import type { Services } from '#lib/api/method.ts'
import type { ArchiveBucket } from '#lib/calls/archive/bucket.ts'
import { openCallArchive } from '#lib/calls/archive/call-archive.ts'
import { addIntake } from '#lib/cdrs/switches/intake-acts.ts'
import type { FileStore } from '#lib/ingest/file-store.ts'
import { settingsKey } from '#lib/settings/stored-settings.ts'
import type { TableClient } from '#lib/table/requests/client.ts'
import { createMeter } from '#lib/table/requests/meter.ts'
import { objectChanged } from '#lib/table/requests/retries.ts'
import { createStore, type Store } from '#lib/table/store.ts'
import { carriedOut } from '#test/acts/carry-out.ts'
import { importRows } from '#test/datasets/import-rows.ts'
import { stampOfNewTable } from '#tools/command-line/table-stamp.ts'
import { ACCOUNTS, ALICE, DATASET, FACTOR, SIMULATED_SETTINGS, SWITCHES } from './dataset.ts'
import type { Draws } from './random.ts'
import type { Scheduler } from './scheduler.ts'
import { noAnswer, scheduledClient } from './table-requests.ts'

/** A message of a queue, as SQS keeps it. */
interface Message {
  readonly id: string
  readonly body: string
  received: number
  visibleAt: number
}

export interface SimulatedQueue {
  readonly messages: Message[]
  send(bodies: readonly string[]): Promise<void>
  /** What AWS itself sends. */
  add(body: string): void
  /** Some of the visible messages in any order, hidden for the time of their handler. */
  receive(most: number, draws: Draws): Message[]
  hide(id: string, seconds: number): Promise<void>
  remove(message: Message): void
}

/** The time after which SQS shows a message again whose consumer has died. */
const VISIBILITY_MS = 30_000

function createQueue(name: string, scheduler: Scheduler, now: () => number): SimulatedQueue {
  let last = 0
  const messages: Message[] = []
  const add = (body: string) =>
    void messages.push({ id: `${name}-${last++}`, body, received: 0, visibleAt: 0 })
  const outside = <T>(what: string, perform: () => T) =>
    scheduler.ask<T>({
      what: `${what} ${name}`,
      perform,
      refusals: () => [noAnswer],
      lost: noAnswer,
      repeats: isLost,
    })
  return {
    messages,
    add,
    send: (bodies) => outside('send to', () => bodies.forEach(add)),
    receive: (most, draws) => {
      const visible = messages.filter(({ visibleAt }) => visibleAt <= now())
      const taken = Array.from({ length: Math.min(most, visible.length) }, () =>
        visible.splice(draws.below(visible.length), 1),
      ).flat()
      for (const message of taken) {
        message.received += 1
        // SQS delivers at least once: another consumer may get it at the same moment.
        message.visibleAt = draws.onceIn(10) ? now() : now() + VISIBILITY_MS
      }
      return taken
    },
    hide: (id, seconds) =>
      outside('hide in', () => {
        const message = messages.find((one) => one.id === id)
        if (message) message.visibleAt = now() + seconds * 1000
      }),
    remove: (message) => void messages.splice(messages.indexOf(message), Number(messages.includes(message))),
  }
}

const isLost = ({ name }: Error): boolean => name === 'TimeoutError'

/** The archive's bucket, in memory. Its writes have S3's conditions. */
function createBucket(scheduler: Scheduler): ArchiveBucket & { readonly objects: Map<string, Uint8Array> } {
  const objects = new Map<string, Uint8Array>()
  const versionOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')
  const outside = <T>(what: string, perform: () => Promise<T> | T) =>
    scheduler.ask<T>({ what, perform, refusals: () => [noAnswer], lost: noAnswer, repeats: () => false })
  return {
    objects,
    open: (key) =>
      outside(`open ${key}`, () => {
        const bytes = objects.get(key)
        if (!bytes) return undefined
        const version = versionOf(bytes)
        const read = (from: number, to: number) =>
          outside(`get ${key}`, () => {
            if (objects.get(key) !== bytes) throw objectChanged(key)
            return bytes.subarray(from, to)
          })
        return { bytes: bytes.length, version, read }
      }),
    write: async (key, path, replaced) => {
      const bytes = await readFile(path)
      return outside(`put ${key}`, () => {
        const stored = objects.get(key)
        if ((stored && versionOf(stored)) !== replaced) throw objectChanged(key)
        objects.set(key, new Uint8Array(bytes))
        return versionOf(bytes)
      })
    },
    remove: (key) => outside(`remove ${key}`, () => void objects.delete(key)),
  }
}

/** The bucket of dropped files. S3 tells the queue of each new object. */
interface SimulatedFiles extends FileStore {
  readonly objects: Map<string, Buffer>
  readonly queue: SimulatedQueue
  /** `stored` is called once the object is there, whether or not that is answered. */
  put(key: string, text: string, stored: () => void): Promise<void>
}

const etagOf = (bytes: Buffer): string => createHash('md5').update(bytes).digest('hex')

function createFiles(scheduler: Scheduler, queue: SimulatedQueue): SimulatedFiles {
  const objects = new Map<string, Buffer>()
  const outside = <T>(what: string, perform: () => T): Promise<T> =>
    scheduler.ask({ what, perform, refusals: () => [noAnswer], lost: noAnswer, repeats: () => false })
  return {
    objects,
    queue,
    put: (key, text, stored) =>
      outside(`put ${key}`, () => {
        const bytes = Buffer.from(text)
        objects.set(key, bytes)
        const object = { key, size: bytes.length, eTag: etagOf(bytes) }
        stored()
        queue.add(JSON.stringify({ Records: [{ s3: { bucket: { name: 'files' }, object } }] }))
      }),
    read: ({ key, etag }, range) =>
      outside(`get ${key}`, () => {
        const bytes = objects.get(key)
        if (!bytes || etagOf(bytes) !== etag) throw objectChanged(key)
        return Readable.from([range ? bytes.subarray(range.from, range.to) : bytes])
      }),
    write: (_bucket, key, rows) => outside(`put ${key}`, () => void objects.set(key, Buffer.from(rows))),
    enqueue: (message) => queue.send([JSON.stringify(message)]),
    find: async () => undefined,
    copy: async () => undefined,
  }
}

/** The events that a receiver of webhooks has got. */
interface ReceivedEvent {
  readonly url: string
  readonly id: string
  readonly type: string
  readonly data: Readonly<Record<string, unknown>>
}

export interface SimulatedInstallation {
  /** The services of production code. Their requests wait for the scheduler. */
  readonly services: Services
  readonly store: () => Store
  /** For checks: it looks and is never kept waiting. */
  readonly eye: Store
  readonly bucket: ReturnType<typeof createBucket>
  readonly records: SimulatedQueue
  readonly webhooks: SimulatedQueue
  readonly files: SimulatedFiles
  readonly received: ReceivedEvent[]
  /** The seconds until which tries of the silent endpoint, found failing, hold others back. */
  readonly silentTries: number[]
  /** The mails that a mail server has taken. */
  readonly mails: Mail[]
  readonly sendMail: SendMail
  /** The methods that have answered, and the acts that were carried out. */
  readonly called: Set<string>
  /** What functions have logged about mistakes of the program, since somebody looked. */
  readonly mistakes: string[]
  readonly post: PostWebhook
  /** The secrets of endpoints, by their URL: what they get is signed with them. */
  readonly secrets: Map<string, string>
  /** The cookie of a signed-in account. */
  readonly cookies: ReadonlyMap<string, string>
  /** The Authorization headers of switches. */
  readonly authorization: ReadonlyMap<string, string>
}

export const TABLE_NAME = 'simulated'

/** Answers nothing but its challenge. */
export const SILENT_URL = 'https://hooks.example.net/mallory'

const SILENT_MS = 5000

/** Builds an installation over the table. Nothing fails or waits meanwhile. */
export async function anInstallation(
  table: TableClient,
  scheduler: Scheduler,
  draws: Draws,
  now: () => number,
): Promise<SimulatedInstallation> {
  const bucket = createBucket(scheduler)
  const archive = openCallArchive(bucket)
  const eye = createStore({ client: table, tableName: TABLE_NAME, meter: createMeter(), archive })
  const client = scheduledClient(table, scheduler, draws)
  const openStore: Services['openStore'] = (meter) =>
    createStore({ client, tableName: TABLE_NAME, meter, archive })
  await eye.update(settingsKey, { set: { ...stampOfNewTable, ...SIMULATED_SETTINGS } })
  await importRows({ store: eye, clock: () => new Date() }, DATASET)
  const cookies: [string, string][] = []
  for (const { username } of ACCOUNTS) cookies.push(await cookieOf(eye, String(username), now()))
  const authorization: [string, string][] = []
  for (const [index, name] of SWITCHES.entries()) authorization.push(await switchOf(eye, name, index))
  await secondFactor(eye)
  const [called, mistakes] = [new Set<string>(), [] as string[]]
  const received: ReceivedEvent[] = []
  const mails: Mail[] = []
  const secrets = new Map<string, string>()
  // A password is hashed in less than a millisecond, as in tests.
  Object.assign(hashCost, { N: 2 ** 4, r: 8, p: 1 })
  return {
    services: {
      openStore,
      clock: () => new Date(),
      log: ({ method, outcome, error }) => {
        if (outcome !== 'failed') called.add(String(method))
        if (isMistake(error as Error | undefined)) mistakes.push(`${method}: ${(error as Error).stack}`)
      },
      transport: { streams: false, maxBytes: 4_400_000 },
      random: { below: (bound) => draws.below(bound) },
    },
    store: () => openStore(createMeter()),
    eye,
    bucket,
    records: createQueue('records', scheduler, now),
    webhooks: createQueue('webhooks', scheduler, now),
    files: createFiles(scheduler, createQueue('files', scheduler, now)),
    received,
    silentTries: [],
    mails,
    sendMail: mailServer(scheduler, draws, mails),
    called,
    mistakes,
    secrets,
    post: receiver(scheduler, draws, received, secrets),
    cookies: new Map(cookies),
    authorization: new Map(authorization),
  }
}

async function cookieOf(store: Store, username: string, now: number): Promise<[string, string]> {
  const [account] = await findCallers(store, [username])
  if (!account) throw new Error(`There is no account ${username}`)
  const token = await createSession(store, account, Math.floor(now / 1000))
  const name = Buffer.from(account.username).toString('base64url')
  return [account.username, `tollgate_session=${name}.${token}`]
}

/** Adds a switch with a known secret. */
async function switchOf(store: Store, name: string, index: number): Promise<[string, string]> {
  const secret = String(index).padEnd(32, 'k')
  await carriedOut({ store, now: new Date() }, addIntake, { name, secret, zone: 'UTC' })
  return [name, `Basic ${Buffer.from(`${name}:${secret}`).toString('base64')}`]
}

/** Alice signs in by a code, too. */
async function secondFactor(store: Store): Promise<void> {
  const [alice] = await findCallers(store, [ALICE])
  if (alice) await store.transact(secondFactorSet(alice, FACTOR))
}

const MISTAKES = ['TypeError', 'RangeError', 'ReferenceError', 'Refusal']

/** A mistake of the program, not of the weather. */
export const isMistake = (error: Error | undefined): boolean =>
  error !== undefined && MISTAKES.includes(error.name)

/** Takes a mail, refuses it for the moment, or takes it without an answer, which it does also in a calm. */
const mailServer =
  (scheduler: Scheduler, draws: Draws, mails: Mail[]): SendMail =>
  (mail) =>
    scheduler
      .ask({
        what: `mail ${mail.subject} to ${mail.to}`,
        perform: () => {
          mails.push(mail)
          if (draws.onceIn(4)) throw noAnswer()
          return { status: 250 }
        },
        refusals: () => [() => new Error('451 later')],
        lost: noAnswer,
        repeats: () => false,
      })
      .catch(({ message }: Error) => ({
        error: message,
        kind: message.startsWith('451') ? ('temporary' as const) : ('in doubt' as const),
      }))

/** Answers 204, now and then 500 or nothing. Echoes a challenge. One receiver is silent. */
const receiver =
  (
    scheduler: Scheduler,
    draws: Draws,
    received: ReceivedEvent[],
    secrets: ReadonlyMap<string, string>,
  ): PostWebhook =>
  async ({ url, headers, body }) => {
    if (url === SILENT_URL && !body.includes('"challenge"')) {
      await timersPromises.setTimeout(SILENT_MS)
      return { error: 'no answer within 5 s' }
    }
    const outcome = scheduler.ask({
      what: `post to ${url}`,
      perform: () => {
        if (scheduler.weather.refused > 0 && draws.onceIn(5)) return { status: 500 }
        const secret = secrets.get(url)
        if (secret !== undefined && !isSigned(secret, headers, body)) return { status: 401 }
        const { type, data } = JSON.parse(body)
        received.push({ url, id: String(headers['webhook-id']), type, data })
        return { status: 204, body: String(data.challenge ?? '') }
      },
      refusals: () => [noAnswer],
      lost: noAnswer,
      repeats: () => false,
    })
    return outcome.catch(() => ({ error: 'no answer within 5 s' }))
  }

/** Whether a receiver that knows the secret accepts the headers. */
const isSigned = (secret: string, headers: Readonly<Record<string, string>>, body: string): boolean => {
  const { 'webhook-id': id, 'webhook-timestamp': at, 'webhook-signature': signatures = '' } = headers
  const mac = createHmac('sha256', Buffer.from(secret.slice('whsec_'.length), 'base64'))
  return signatures.split(' ').includes(`v1,${mac.update(`${id}.${at}.${body}`).digest('base64')}`)
}
