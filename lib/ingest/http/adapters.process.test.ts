import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { activeCallsOf } from '#test/dump.ts'
import { exampleDevices, people } from '#test/examples/examples.ts'
import { aWorldWithIntake, post } from '#test/mediation/intake.ts'
import { liveEvent } from '#test/mediation/switch-documents.ts'
import { aServer } from '#test/server.ts'
import type { World } from '#test/world.ts'

/** The installation behind HTTP. The first answers have these `statuses`. */
async function anInstallation(...statuses: number[]) {
  const { world, authorization } = await aWorldWithIntake({ users: people, devices: exampleDevices }, 'pbx')
  const [name = '', secret = ''] = Buffer.from(authorization.slice(6), 'base64').toString().split(':')
  const server = await aServer(async ({ path, body, headers }, response) => {
    const status = statuses.shift()
    if (status) return void response.writeHead(status).end()
    const given = { authorization: String(headers.authorization) }
    const answer = await post(world, path.split('/').at(-1) ?? '', { body, headers: given })
    response.writeHead(answer.statusCode).end(answer.body)
  })
  return { world, environment: { TOLLGATE_URL: server.origin, TOLLGATE_NAME: name, TOLLGATE_SECRET: secret } }
}

/** A switch that runs `talk` for each connection. */
async function aSwitch(talk: (socket: Socket) => void): Promise<number> {
  const server = createServer(talk).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return (server.address() as AddressInfo).port
}

function runAdapter(name: string, environment: Readonly<Record<string, string>>) {
  const child = spawn(process.execPath, [`docs/adapters/${name}`], {
    env: { ...process.env, ...environment },
  })
  onTestFinished(() => void child.kill())
  return once(child, 'exit').then(([code]) => code as number)
}

const callsInProgress = async (world: World) =>
  (await activeCallsOf(world)).map(({ user_id, src, answer_time }) => ({
    user_id,
    src,
    isAnswered: answer_time !== undefined,
  }))

const bobsCall = [{ user_id: 10, src: '37000001', isAnswered: true }]

const framed = (body: string): string =>
  `Content-Length: ${Buffer.byteLength(body)}\nContent-Type: text/event-json\n\n${body}`

const replied = (text: string): string => `Content-Type: command/reply\nReply-Text: ${text}\n\n`

/** Behaves like mod_event_socket: asks for the password, and sends the subscribed events. */
function eventSocket(socket: Socket): void {
  socket.write('Content-Type: auth/request\n\n')
  socket.on('data', (chunk) => socket.write(answerOfFreeswitch(String(chunk))))
}

function answerOfFreeswitch(command: string): string {
  if (command === 'auth ClueCon\n\n') return replied('+OK accepted')
  if (!command.startsWith('event json CHANNEL_CREATE ')) return replied('-ERR invalid')
  const events = ['CREATE', 'ANSWER'].map((name) => framed(JSON.stringify(liveEvent(name, 1_773_143_900))))
  return replied('+OK event listener enabled json') + events.join('')
}

test("events of FreeSWITCH's event socket become calls in progress, even after an outage", async () => {
  const { world, environment } = await anInstallation(503)
  const port = await aSwitch(eventSocket)

  runAdapter('freeswitch-live.mjs', { ...environment, FREESWITCH_PORT: String(port) })

  await expect.poll(() => callsInProgress(world)).toEqual(bobsCall)
})

const managerEvent = (fields: Readonly<Record<string, string>>): string =>
  `${Object.entries({
    Timestamp: '1773143900.000000',
    Channel: 'PJSIP/bobs-phone-0000b000',
    CallerIDNum: '37000001',
    Exten: '442079460000',
    Uniqueid: '1.1',
    Linkedid: '1.1',
    ...fields,
  })
    .map(([name, value]) => `${name}: ${value}`)
    .join('\r\n')}\r\n\r\n`

/** Behaves like Asterisk's manager. */
function manager(socket: Socket): void {
  socket.write('Asterisk Call Manager/9.0.0\r\n')
  socket.on('data', (chunk) => {
    if (!String(chunk).includes('Secret: right')) {
      return void socket.write('Response: Error\r\nMessage: Authentication failed\r\n\r\n')
    }
    socket.write('Response: Success\r\nMessage: Authentication accepted\r\n\r\n')
    socket.write(managerEvent({ Event: 'Newchannel', ChannelState: '4' }))
    socket.write(managerEvent({ Event: 'VarSet', Variable: 'X' }))
    socket.write(managerEvent({ Event: 'Newstate', ChannelState: '6' }))
  })
}

test("events from Asterisk's manager become calls in progress", async () => {
  const { world, environment } = await anInstallation()
  const port = await aSwitch(manager)

  runAdapter('asterisk-live.mjs', {
    ...environment,
    AMI_PORT: String(port),
    AMI_USERNAME: 't',
    AMI_SECRET: 'right',
  })

  await expect.poll(() => callsInProgress(world)).toEqual(bobsCall)
})

test.each([
  ['freeswitch-live.mjs', eventSocket, 'FREESWITCH_PORT', { FREESWITCH_PASSWORD: 'wrong' }],
  ['asterisk-live.mjs', manager, 'AMI_PORT', { AMI_SECRET: 'wrong' }],
] as const)('%s ends where the switch refuses it', async (name, talk, option, environment) => {
  const port = await aSwitch(talk)

  expect(await runAdapter(name, { ...environment, [option]: String(port) })).toBe(1)
})

test('an adapter ends if Tollgate refuses it', async () => {
  const { environment } = await anInstallation(401)
  const port = await aSwitch(eventSocket)

  expect(await runAdapter('freeswitch-live.mjs', { ...environment, FREESWITCH_PORT: String(port) })).toBe(1)
})

/** Returns whether a pattern of POSIX, as Kamailio reads it, matches these bytes. */
const isMatched = (pattern: string, bytes: string): boolean =>
  spawnSync('grep', ['-qE', pattern], { input: Buffer.from(bytes, 'latin1'), env: { LC_ALL: 'C' } })
    .status === 0

const textOf = (name: string): string => readFileSync(`docs/adapters/${name}`, 'utf8')

test.each([
  ['0b0e0ef0-0000-4000-8000-000000000001', true],
  ["a!#$%&'()*+,-./:;<=>?@[]^_`{|}~Z", true],
  ['a b', false],
  ['a"b', false],
  ['a\\b', false],
  ['a\xff', false],
  ['a\xc2\xa0', false],
  ['', false],
])('Kamailio and FreeSWITCH ask for the Call-ID %j: %s', (id, isAsked) => {
  const [, posix = ''] = /\(\$ci =~ "(.*?)"\)/.exec(textOf('kamailio-calls.cfg')) ?? []
  const [, perl = ''] =
    /<condition field="uuid" expression="(.*?)">/.exec(textOf('freeswitch-calls.xml')) ?? []

  expect([isMatched(posix, id), new RegExp(perl).test(id)]).toEqual([isAsked, isAsked])
})
