import { createSocket } from 'node:dgram'
import { Resolver } from 'node:dns/promises'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test, vi } from 'vitest'
import { postWebhook } from './post.ts'

async function aReceiver(listener: RequestListener): Promise<string> {
  const server = createServer(listener)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook?a=1`
}

const postTo = (url: string, isTest = true) =>
  postWebhook({ url, headers: { 'webhook-id': 'msg_1' }, body: '{"a":"ü"}', isTest })

test('the body arrives as it is, with its headers', async () => {
  const seen: unknown[] = []
  const url = await aReceiver(async (request, answer) => {
    const chunks = await Array.fromAsync(request)
    seen.push(request.method, request.url, request.headers['webhook-id'], Buffer.concat(chunks).toString())
    answer.writeHead(204).end()
  })

  expect(await postTo(url)).toEqual({ status: 204 })
  expect(seen).toEqual(['POST', '/hook?a=1', 'msg_1', '{"a":"ü"}'])
})

test('a redirect is an answer, and is not followed', async () => {
  const seen: unknown[] = []
  const url = await aReceiver((request, answer) => {
    seen.push(request.url)
    answer.writeHead(301, { location: '/elsewhere' }).end()
  })

  expect(await postTo(url)).toEqual({ status: 301 })
  expect(seen).toEqual(['/hook?a=1'])
})

test('an answer that never ends counts by its status, and the connection is closed', async () => {
  let close = () => {}
  const closed = new Promise<void>((resolve) => {
    close = resolve
  })
  const url = await aReceiver((_, answer) => {
    answer.writeHead(200)
    const endless = setInterval(() => answer.write('x'.repeat(10_000)), 1)
    answer.on('close', () => {
      clearInterval(endless)
      close()
    })
  })

  expect(await postTo(url)).toEqual({ status: 200 })
  await closed
})

/** Limits of time that end only when the test says so. */
function stoppedLimits() {
  const ends: AbortController[] = []
  const limits = vi.spyOn(AbortSignal, 'timeout').mockImplementation(() => {
    const end = new AbortController()
    ends.push(end)
    return end.signal
  })
  const end = () => {
    for (const one of ends) one.abort()
  }
  return { limits, end }
}

test('a silent receiver has 5 seconds, even if it sends one header after the other', async () => {
  const { limits, end } = stoppedLimits()
  let [asked, headers] = [0, 0]
  const silent = await aReceiver(() => {
    asked += 1
  })
  const slow = await aReceiver((_, answer) => {
    answer.socket?.write('HTTP/1.1 200 OK\r\n')
    const header = setInterval(() => {
      answer.socket?.write('a: b\r\n')
      headers += 1
    }, 10)
    answer.socket?.on('close', () => clearInterval(header))
  })
  const answers = Promise.all([silent, slow].map((url) => postTo(url)))
  await expect.poll(() => asked === 1 && headers > 5).toBe(true)
  end()

  expect(await answers).toEqual([{ error: 'no answer within 5 s' }, { error: 'no answer within 5 s' }])
  expect(limits.mock.calls).toEqual([[5000], [5000]])
})

/** A name server that answers 127.0.0.1 for good.example, and nothing for all other names. */
async function aNameServer() {
  const socket = createSocket('udp4')
  const asked: string[] = []
  socket.on('message', (query, { port }) => {
    const isGood = query.includes('good')
    asked.push(isGood ? 'good' : 'silent')
    if (!isGood) return
    const isA = query.readUInt16BE(12 + '\x04good\x07example\0'.length) === 1
    const address = Buffer.from('c00c00010001000000010004' + '7f000001', 'hex')
    const head = Buffer.from([query[0], query[1], 0x81, 0x80, 0, 1, 0, Number(isA), 0, 0, 0, 0] as number[])
    const question = query.subarray(12, 12 + '\x04good\x07example\0'.length + 4)
    socket.send(Buffer.concat([head, question, ...(isA ? [address] : [])]), port)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  onTestFinished(() => {
    socket.close()
  })
  const openResolver = () => {
    const resolver = new Resolver()
    resolver.setServers([`127.0.0.1:${socket.address().port}`])
    return resolver
  }
  return { asked, openResolver }
}

test('the beginning of an answer is read where a challenge is to be echoed, and no more', async () => {
  const url = await aReceiver((_, answer) => {
    answer.write('echo')
    const endless = setInterval(() => answer.write('x'.repeat(10_000)), 1)
    answer.on('close', () => clearInterval(endless))
  })

  const answer = await postWebhook({ url, headers: {}, body: '{}', isTest: true, readsBody: true })

  expect(answer).toMatchObject({ status: 200, body: expect.stringMatching(/^echox+$/) })
})

test('names that never resolve keep no other name waiting, and are given up after 5 seconds', async () => {
  const [{ asked, openResolver }, { limits, end }] = [await aNameServer(), stoppedLimits()]
  const post = (host: string) =>
    postWebhook({ url: `https://${host}.example/`, headers: {}, body: '', isTest: false }, openResolver)
  let isAnyGivenUp = false
  const silent = Array.from({ length: 20 }, (_, index) =>
    post(`silent-${index}`).finally(() => {
      isAnyGivenUp = true
    }),
  )

  expect(await post('good')).toEqual({ error: 'good.example has an address that is not public' })
  expect([isAnyGivenUp, asked.includes('silent')]).toEqual([false, true])
  end()
  expect(await Promise.all(silent)).toEqual(Array(20).fill({ error: 'no answer within 5 s' }))
  expect(limits.mock.calls).toEqual(Array(21).fill([5000]))
})

test('a head that is too large is refused', async () => {
  const url = await aReceiver((_, answer) => {
    answer.writeHead(200, { a: 'x'.repeat(9000) }).end()
  })

  expect(await postTo(url)).toEqual({ error: 'HPE_HEADER_OVERFLOW' })
})

test('without the setting for tests nothing is sent to this machine, whatever its name', async () => {
  let isReached = false
  const url = await aReceiver(() => {
    isReached = true
  })

  expect(await postTo(url, false)).toEqual({ error: 'the URL takes https, on port 443' })
  expect(await postTo('https://localhost/', false)).toEqual({
    error: 'localhost has an address that is not public',
  })
  expect(await postTo('https://localhost/', true)).toEqual({
    error: 'localhost has an address that is not public',
  })
  expect(await postTo('http://127.0.0.1:1/')).toEqual({ error: 'ECONNREFUSED' })
  expect(isReached).toBe(false)
})
