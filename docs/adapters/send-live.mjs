import { setTimeout } from 'node:timers/promises'

const { TOLLGATE_URL, TOLLGATE_NAME, TOLLGATE_SECRET } = process.env

/** In milliseconds, before the same events are sent again. */
const PAUSE = 2000

const EVENTS_AT_ONCE = 200

const waiting = []
let isSending = false

/** Sends an event, and the others that wait by then, to `POST /intake/live`. */
export function sendLive(event) {
  waiting.push(JSON.stringify(event))
  if (!isSending) sendAll().catch(giveUp)
}

async function sendAll() {
  isSending = true
  while (waiting.length > 0) {
    const body = waiting.slice(0, EVENTS_AT_ONCE)
    if (await isTaken(body.join('\n'))) waiting.splice(0, body.length)
    else await setTimeout(PAUSE)
  }
  isSending = false
}

/** Events may come twice and in any order, so what may not have arrived is sent again. */
async function isTaken(body) {
  const authorization = `Basic ${Buffer.from(`${TOLLGATE_NAME}:${TOLLGATE_SECRET}`).toString('base64')}`
  const request = { method: 'POST', headers: { authorization, 'content-type': 'application/json' }, body }
  const status = await fetch(`${TOLLGATE_URL}/intake/live`, request).then(
    (answer) => answer.status,
    () => 503,
  )
  if (status === 200) return true
  if (status === 429 || status === 503) return false
  throw new Error(`Tollgate answers ${status}: check TOLLGATE_URL, TOLLGATE_NAME and TOLLGATE_SECRET`)
}

/** Whoever runs this, such as systemd, starts it again. */
export function giveUp(error) {
  process.stderr.write(`${error.message}\n`)
  process.exit(1)
}
