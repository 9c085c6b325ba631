import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { root } from '#tools/machine/program.ts'
import {
  type ConfiguredProxy,
  changed,
  configureProxy,
  freeUdpPort,
  linesOfPage,
  type ProxyPlace,
  runProgram,
  scenarioFile,
  scenarioWords,
} from './real-proxy.ts'

/** Kamailio with the lines of docs/switches.md and docs/call-control.md, and docs/adapters/'s route. */
export const configurePrepaidProxy = (place: ProxyPlace): Promise<ConfiguredProxy> =>
  configureProxy(place, async (main, folder) => {
    const [call = '', include = ''] = await linesOfPage('call-control.md')
    const own = `${folder}/kamailio-calls.cfg`
    const route = await readFile(`${root}docs/adapters/kamailio-calls.cfg`, 'utf8')
    await writeFile(own, changed(route, ['http://proxy1:SECRET@localhost:3000/', place.there]), {
      mode: 0o600,
    })
    const [, pstn = ''] = /^route\[PSTN\] \{(.*?)^\}/ms.exec(main) ?? []
    const end = pstn.lastIndexOf('\troute(RELAY);\n')
    const called = `${pstn.slice(0, end)}${changed(pstn.slice(end), ['\troute(RELAY);\n', call])}`
    return `${changed(main, [pstn, called])}${changed(include, ['/etc/kamailio/kamailio-calls.cfg', own])}`
  })

/** The caller's view of a call, with its Unix time. */
export interface Outcome {
  readonly what: 'answered' | 'ended' | 'held' | 'refused' | 'undecided'
  readonly callId: string
  readonly at: number
}

interface Callers {
  /** The user that calls, whom the proxy does not ask for a password. */
  readonly caller: string
  /** All of them call in one second. */
  readonly calls: number
  /** Milliseconds between two re-INVITEs of a call. */
  readonly again?: number
}

/** Calls at once that never hang up. Returns when the proxy has refused or ended all of them. */
export async function callAtOnce(proxy: number, { caller, calls, again }: Callers): Promise<Outcome[]> {
  const folder = await mkdtemp(join(tmpdir(), 'sipp-'))
  const scenario = await readFile(scenarioFile('prepaid'), 'utf8')
  const file = join(folder, 'prepaid.xml')
  await writeFile(file, again ? changed(scenario, ['timeout="600000"', `timeout="${again}"`]) : scenario)
  const log = join(folder, 'calls.log')
  const said = ['-key', 'caller', caller, '-key', 'number', '0044207946009']
  const pace = ['-m', String(calls), '-r', String(calls), '-l', String(calls), '-timeout', '120']
  const words = [...scenarioWords(file, await freeUdpPort()), ...said, ...pace]
  await runProgram('sipp', [...words, '-trace_logs', '-log_file', log, `127.0.0.1:${proxy}`])
  return outcomesIn(await readFile(log, 'utf8'))
}

const outcomesIn = (log: string): Outcome[] =>
  [...log.matchAll(/^(answered|ended|held|refused|undecided) (\S+) .*\t([\d.]+)$/gm)].map(
    ([, what = '', callId = '', at = '']) => ({ what: what as Outcome['what'], callId, at: Number(at) }),
  )

/** Seconds from the answer to the BYE of the proxy, of each call. */
export function secondsOfCalls(outcomes: readonly Outcome[]): number[] {
  const answers = new Map(
    outcomes.flatMap(({ what, callId, at }) => (what === 'answered' ? [[callId, at]] : [])),
  )
  return outcomes.flatMap(({ what, callId, at }) =>
    what === 'ended' ? [at - (answers.get(callId) ?? at)] : [],
  )
}

/** The final statuses of two INVITEs with one Call-ID that a caller sends at the same moment. */
export async function statusesOfTwins(proxy: number, caller: string, number: string): Promise<string[]> {
  const socket = createSocket('udp4').bind(0, '127.0.0.1')
  await once(socket, 'listening')
  const statuses = new Map<string, string>()
  socket.on('message', (message) => {
    const [, status = '', tag = ''] =
      /^SIP\/2\.0 ([2-6]\d\d).*^From:.*tag=(\w+)/ms.exec(String(message)) ?? []
    if (tag !== '') statuses.set(tag, status)
  })
  for (const tag of ['one', 'other']) {
    const lines = [
      `INVITE sip:${number}@127.0.0.1:${proxy} SIP/2.0`,
      `Via: SIP/2.0/UDP 127.0.0.1:${socket.address().port};branch=z9hG4bK-${tag}`,
      `From: <sip:${caller}@127.0.0.1:${proxy}>;tag=${tag}`,
      `To: <sip:${number}@127.0.0.1:${proxy}>`,
      `Call-ID: twins-${socket.address().port}`,
      'CSeq: 1 INVITE',
      `Contact: <sip:${caller}@127.0.0.1:${socket.address().port}>`,
      'Max-Forwards: 70',
      'Content-Length: 0',
    ]
    socket.send(`${lines.join('\r\n')}\r\n\r\n`, proxy, '127.0.0.1')
  }
  while (statuses.size < 2) await once(socket, 'message')
  socket.close()
  return [...statuses.values()]
}

/** How often an answered call's events arrive: for `twice` twice, for each third of `lost` never. */
function deliveriesByCall(): (body: string) => number {
  const calls = new Map<string, number>()
  let answered = 0
  const deliveriesOf = (user: string): number => {
    if (user === 'lost') answered += 1
    if (user === 'lost' && answered % 3 === 0) return 0
    return user === 'twice' ? 2 : 1
  }
  return (body) => {
    const { callid, src_user, sip_code } = JSON.parse(body)
    const isNew = src_user !== undefined && sip_code === '200' && !calls.has(callid)
    if (isNew) calls.set(callid, deliveriesOf(src_user))
    return calls.get(callid) ?? 1
  }
}

/** A network that delivers some events twice and loses others. Returns its port and its end. */
export async function unreliableNetwork(target: string): Promise<{ port: number; stop: () => void }> {
  const deliveries = deliveriesByCall()
  const server = createServer(async (request, response) => {
    const { url = '', headers } = request
    const body = await text(request)
    const { authorization = '', 'content-type': type = '' } = headers
    const times = url.startsWith('/intake/') ? deliveries(body) : 1
    let answer = new Response('')
    for (let time = 0; time < times; time += 1)
      answer = await fetch(target + url, {
        method: 'POST',
        headers: { authorization, 'content-type': type },
        body,
      })
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' })
    response.end(await answer.text())
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const stop = () => {
    server.closeAllConnections()
    server.close()
  }
  return { port: (server.address() as AddressInfo).port, stop }
}
