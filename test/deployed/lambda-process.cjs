/**
 * The process of a Lambda: loads the bundle that BUNDLE names as the runtime of AWS does, and answers each event, a line of
 * JSON on standard input, with a line of JSON. The clock stands at MOMENT.
 */
const { createInterface } = require('node:readline')
const { PassThrough } = require('node:stream')
const { text } = require('node:stream/consumers')
const { stopClock } = require('./stopped-clock.cjs')

const { BUNDLE, MOMENT } = process.env
stopClock(new Date(MOMENT))

/** The runtime marks streaming handlers, and writes the head of an answer before its first byte. */
const STREAMING = Symbol.for('aws.lambda.runtime.handler.streaming')
globalThis.awslambda = {
  streamifyResponse: (handler) => Object.assign(handler, { [STREAMING]: 'response' }),
  HttpResponseStream: { from: (stream, head) => Object.assign(stream, { head }) },
}

const { handler } = require(BUNDLE)
const context = { awsRequestId: 'request-1', getRemainingTimeInMillis: () => 28_000 }

async function streamed(event) {
  const stream = new PassThrough()
  const [body] = await Promise.all([text(stream), handler(event, stream, context)])
  return { ...stream.head, body, streamed: true }
}

const answerTo = (event) => (handler[STREAMING] ? streamed(event) : handler(event, context))

/** A failure of the function is reported, as the runtime reports it to Lambda. */
const reported = (event) =>
  answerTo(event).catch(({ name, message }) => ({ errorType: name, errorMessage: message }))

async function answerEach(lines) {
  for await (const line of lines) {
    process.stdout.write(`ANSWER ${JSON.stringify(await reported(JSON.parse(line)))}\n`)
  }
}

answerEach(createInterface({ input: process.stdin })).catch(() => process.exit(1))
