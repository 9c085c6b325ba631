import type { Contract } from '#lib/api/method.ts'
import type { MethodExample } from './document.ts'

const SCHEMA = 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json'

const DESCRIPTION = `Every method of Tollgate with a call on the demo data. Set the variable \`key\` to the secret key and \`baseUrl\` to the address of the
API: the requests sign themselves.`

/** docs/tollgate.postman_collection.json: requests that sign themselves, by area. */
export const postmanCollection = (methods: readonly MethodExample[]) => ({
  info: { name: 'Tollgate', description: DESCRIPTION, schema: SCHEMA },
  variable: [
    { key: 'baseUrl', value: 'http://localhost:3000' },
    { key: 'key', value: 'demo-secret-key' },
  ],
  event: [{ listen: 'prerequest', script: { type: 'text/javascript', exec: signingScript(methods) } }],
  item: [...new Set(methods.map(({ area }) => area))].map((area) => ({
    name: area,
    item: methods.filter((one) => one.area === area).map(requestItem),
  })),
})

const requestItem = ({ method, example, answer }: MethodExample) => {
  const request = {
    method: 'POST',
    url: { raw: `{{baseUrl}}/api/${method.name}`, host: ['{{baseUrl}}'], path: ['api', method.name] },
    description: method.summary,
    body: { mode: 'urlencoded', urlencoded: fieldsOf(method, example.sent) },
  }
  return {
    name: method.name,
    request,
    response: [{ name: 'On the demo', originalRequest: request, code: 200, status: 'OK', body: answer }],
  }
}

/** The parameters of the example are enabled, the others disabled. The script adds the hash. */
function fieldsOf({ params }: Contract, sent: MethodExample['example']['sent']) {
  const others = Object.keys(params).filter((name) => !(name in sent))
  return [
    ...Object.entries(sent)
      .filter(([key]) => key !== 'hash')
      .map(([key, value]) => ({ key, value })),
    ...others.map((key) => ({ key, value: '', disabled: true })),
  ]
}

/** The script that Postman runs before each request: the rule of lib/api/signature.ts in its sandbox. */
function signingScript(methods: readonly MethodExample[]): string[] {
  const orders = Object.fromEntries(methods.map(({ method: { name, hashOrders } }) => [name, hashOrders]))
  return [
    `const orders = ${JSON.stringify(orders)}`,
    ...`const CryptoJS = require('crypto-js')
const sent = {}
pm.request.body.urlencoded.each(({ key, value, disabled }) => {
  if (!disabled && key !== 'hash') sent[key] = pm.variables.replaceIn(value)
})
const applies = ({ when = {}, unless = {}, sent: named, unlessSent = [] }) =>
  Object.entries(when).every(([name, value]) => sent[name] === value) &&
  !Object.entries(unless).some(([name, value]) => sent[name] === value) &&
  (named === undefined || named.some((name) => sent[name])) &&
  !unlessSent.some((name) => name in sent)
const order = (orders[pm.request.url.path.slice(-1)[0]] || []).find(applies)
if (order) {
  const text = order.signs.map((name) => sent[name] || '').join('') + pm.variables.get('key')
  pm.request.body.urlencoded.upsert({ key: 'hash', value: CryptoJS.SHA1(text).toString() })
}`.split('\n'),
  ]
}
