import { expect, test } from 'vitest'
import { hasHadEndpoints, listEndpoints } from '#lib/alerts/endpoint.ts'
import { notifyMarked, outboxOf } from '#lib/alerts/event.ts'
import type { PostOutcome } from '#lib/alerts/post.ts'
import { relayEvents } from '#lib/alerts/relay.ts'
import { type WebhookMessage, webhookSender } from '#lib/alerts/sender.ts'
import { settingsOf } from '#lib/settings/stored-settings.ts'
import type { Key } from '#lib/table/keys.ts'
import type { Change } from '#lib/table/requests/changes.ts'
import type { Store } from '#lib/table/store.ts'
import { anEndpoint } from '#test/acts/endpoints.ts'
import { grants } from '#test/template/access.ts'
import { EVERYTHING } from '#test/template/everything.ts'
import { type EvaluatedRequest, mayDo } from '#test/template/iam.ts'
import { packagedTemplate, type Template } from '#test/template/template.ts'
import { aWorld } from '#test/world.ts'

const plain = await packagedTemplate('prod')
const everything = await packagedTemplate('prod', EVERYTHING)

const asking =
  <A extends unknown[], R>(ask: (...args: A) => unknown, request: (...args: A) => R) =>
  (...args: A): R => {
    ask(...args)
    return request(...args)
  }

/** The store as it is; collects its requests as IAM sees them. */
function watchedStore(store: Store) {
  const asked: EvaluatedRequest[] = []
  const ask = (action: string, keys: readonly Pick<Key, 'PK'>[], attributes?: readonly string[]) => {
    asked.push({ action, leadingKeys: keys.map(({ PK }) => PK), ...(attributes && { attributes }) })
  }
  const askUpdate = (key: Key, { set = {}, add = {} }: { set?: object; add?: object }, when: object = {}) =>
    ask('UpdateItem', [key], ['PK', 'SK', ...[set, add, when].flatMap(Object.keys)])
  const askChange = (change: Change) => {
    if ('update' in change) return askUpdate(change.update, change.to, change.when)
    throw new Error('A change of another kind')
  }
  const watched: Store = {
    ...store,
    get: asking((key) => ask('BatchGetItem', [key]), store.get),
    getMany: asking((keys) => ask('BatchGetItem', keys), store.getMany),
    list: asking(({ partition }) => ask('Query', [{ PK: partition }]), store.list),
    firstPage: asking(({ partition }) => ask('Query', [{ PK: partition }]), store.firstPage),
    update: asking(askUpdate, store.update),
    count: asking(askUpdate, store.count),
    transact: asking((changes) => changes.forEach(askChange), store.transact),
    removeBatch: asking((keys) => keys.length > 0 && ask('BatchWriteItem', keys), store.removeBatch),
  }
  return { asked, watched }
}

const DELIVERIES: readonly (readonly [PostOutcome, string, Template])[] = [
  [{ status: 200 }, 'https://example.com/', plain],
  [{ status: 410 }, 'https://example.com/', plain],
  [{ error: 'ECONNREFUSED' }, 'https://example.com/', plain],
  [{ error: 'MessageRejected' }, 'mailto:operator', everything],
]

test.each(DELIVERIES)(
  'the relay and the sender have every right that a delivery needs: first 500, then %j of %s',
  async (second, url, template) => {
    const world = await aWorld(undefined, { Mail_From: 'us@example.com' })
    const { store, services } = world
    const events = ['payment.recorded' as const, 'call.refused' as const]
    await anEndpoint(world, { url, events })
    await anEndpoint(world, { owner: 2, events })
    const settings = await settingsOf(store)
    const event = { owner: 0, at: world.now, subject: '1', data: { account: 10 } }
    await store.transact(outboxOf(settings, { ...event, type: 'payment.recorded' }))
    const refused = { ...event, type: 'call.refused' as const }
    await notifyMarked(store, settings, { subject: 10, mark: 'refused_minute', value: 1, event: refused })
    const [relay, sender] = [watchedStore(store), watchedStore(store)]
    const messages: WebhookMessage[] = []

    expect(await hasHadEndpoints(relay.watched)).toBe(true)
    await relayEvents(
      relay.watched,
      async (some) => messages.push(...some),
      () => world.now,
    )
    const answers: PostOutcome[] = [{ status: 500 }, second]
    const send = webhookSender({
      ...services,
      openStore: () => sender.watched,
      post: async ({ body, readsBody }) =>
        readsBody ? { status: 200, body: JSON.parse(body).data.challenge } : (answers.shift() ?? second),
      mail: async () => answers.shift() ?? second,
      hide: async () => undefined,
      isLocal: false,
    })
    for (const message of messages) {
      const attributes = { ApproximateReceiveCount: '1' }
      await send({ Records: [{ messageId: '1', body: JSON.stringify(message), attributes }] as never })
      world.now = new Date(world.now.getTime() + 4 * 86_400_000)
    }

    expect(messages).toHaveLength(3)
    expect((await listEndpoints(store, 2))[0]?.challenge).toBeUndefined()
    expect(relay.asked.filter((one) => !mayDo(template, 'RelayRole', one))).toEqual([])
    expect(sender.asked.filter((one) => !mayDo(template, 'WebhookSenderRole', one))).toEqual([])
  },
)

/** The statements of a role about SNS and SES, and those that let it read accounts. */
const ofMails = (template: Template, role: string) =>
  (grants(template)[role] ?? []).filter(({ actions, condition }) =>
    /^(?:sns|ses):|USER#/.test([...actions, JSON.stringify(condition ?? '')].join('\n')),
  )

test('only a stage that sends mails has their topic and the rights to read accounts and to send', () => {
  expect(Object.keys(plain.Resources)).not.toContain('MailTopic')
  expect(['RelayRole', 'WebhookSenderRole'].flatMap((role) => ofMails(plain, role))).toEqual([])
  expect(mayDo(everything, 'WebhookSenderRole', { action: 'BatchGetItem', leadingKeys: ['USER#1'] })).toBe(
    false,
  )
  expect(ofMails(everything, 'WebhookSenderRole')).toMatchObject([
    { actions: ['sns:Publish'], resources: ['{"Ref":"MailTopic"}'] },
    {
      actions: ['ses:SendEmail'],
      condition: { StringEquals: { 'ses:FromAddress': EVERYTHING.mailFrom } },
    },
  ])
})
