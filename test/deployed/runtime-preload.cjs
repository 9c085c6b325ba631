/**
 * Loaded before AWS's runtime interface client. The clock stands at MOMENT. The client sends answers through a compiled part,
 * which is not built here: these functions send the same requests of the Runtime API
 * (https://docs.aws.amazon.com/lambda/latest/dg/runtimes-api.html).
 */
const { request } = require('node:http')
const Module = require('node:module')
const { stopClock } = require('./stopped-clock.cjs')

stopClock(new Date(process.env['MOMENT']))

const send = (id, kind, body) => {
  const url = `http://${process.env['AWS_LAMBDA_RUNTIME_API']}/2018-06-01/runtime/invocation/${id}/${kind}`
  request(url, { method: 'POST' }, (response) => response.resume()).end(body)
}

const compiled = {
  done: (id, body) => send(id, 'response', body),
  error: (id, body) => send(id, 'error', body),
}

const load = Module._load
Module._load = (name, ...others) => (name === './rapid-client.node' ? compiled : load(name, ...others))
