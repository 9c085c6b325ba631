// Calls in progress of FreeSWITCH, from its event socket (mod_event_socket) to POST /intake/live.
import { connect } from 'node:net'
import { giveUp, sendLive } from './send-live.mjs'

const {
  FREESWITCH_HOST = '127.0.0.1',
  FREESWITCH_PORT = '8021',
  FREESWITCH_PASSWORD = 'ClueCon',
} = process.env

const socket = connect(Number(FREESWITCH_PORT), FREESWITCH_HOST)
socket.on('error', ({ message }) =>
  giveUp(
    new Error(
      `The event socket of FreeSWITCH: ${message}: check FREESWITCH_HOST, FREESWITCH_PORT and mod_event_socket`,
    ),
  ),
)
socket.on('close', () => giveUp(new Error('FreeSWITCH has closed the event socket')))

let received = Buffer.alloc(0)

socket.on('data', (chunk) => {
  received = Buffer.concat([received, chunk])
  for (let message = nextMessage(); message; message = nextMessage()) act(message)
})

/** Headers, a blank line, and as many bytes as Content-Length says. */
function nextMessage() {
  const end = received.indexOf('\n\n')
  if (end < 0) return undefined
  const headers = received.subarray(0, end).toString()
  const length = Number(/^Content-Length: (\d+)/m.exec(headers)?.[1] ?? 0)
  if (received.length < end + 2 + length) return undefined
  const body = received.subarray(end + 2, end + 2 + length).toString()
  received = received.subarray(end + 2 + length)
  return { type: /^Content-Type: (.+)/m.exec(headers)?.[1], headers, body }
}

function act({ type, headers, body }) {
  if (type === 'auth/request') socket.write(`auth ${FREESWITCH_PASSWORD}\n\n`)
  if (type === 'command/reply' && headers.includes('-ERR'))
    giveUp(new Error('FreeSWITCH refuses the password'))
  if (type === 'command/reply' && headers.includes('accepted')) {
    socket.write('event json CHANNEL_CREATE CHANNEL_ANSWER CHANNEL_HANGUP_COMPLETE\n\n')
  }
  if (type === 'text/event-json') sendLive(JSON.parse(body))
}
