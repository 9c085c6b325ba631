// Calls in progress of Asterisk, from its manager interface (AMI) to POST /intake/live.
import { connect } from 'node:net'
import { createInterface } from 'node:readline'
import { giveUp, sendLive } from './send-live.mjs'

const { AMI_HOST = '127.0.0.1', AMI_PORT = '5038', AMI_USERNAME, AMI_SECRET } = process.env

const WANTED = new Set(['Newchannel', 'Newstate', 'Hangup'])

const socket = connect(Number(AMI_PORT), AMI_HOST)
socket.on('error', ({ message }) =>
  giveUp(new Error(`The manager of Asterisk: ${message}: check AMI_HOST, AMI_PORT and manager.conf`)),
)
socket.on('close', () => giveUp(new Error('Asterisk has closed the manager connection')))
socket.write(`Action: Login\r\nUsername: ${AMI_USERNAME}\r\nSecret: ${AMI_SECRET}\r\nEvents: call\r\n\r\n`)

let message = {}

createInterface({ input: socket }).on('line', (line) => {
  const [, name, value] = /^([^:]+): ?(.*)$/.exec(line) ?? []
  if (name) message[name] = value
  if (line !== '') return
  act(message)
  message = {}
})

/** A switch that does not allow events answers like any other: `Response: Error` says why. */
function act(whole) {
  if (whole.Response === 'Error') giveUp(new Error(`Asterisk refuses: ${whole.Message}`))
  if (WANTED.has(whole.Event)) sendLive(whole)
}
