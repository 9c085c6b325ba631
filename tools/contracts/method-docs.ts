import type { Admission, Contract } from '#lib/api/method.ts'
import type { HashOrder } from '#lib/api/signature.ts'
import { envelopes } from '#lib/xml/envelopes.ts'
import { render } from '#lib/xml/render.ts'
import { indented } from '../commands/call/answer-text.ts'
import type { FunctionFile } from './function-files.ts'
import { pathsOf } from './functions-config.ts'
import type { MethodExample } from './openapi/document.ts'
import { acceptedValues } from './openapi/schemas.ts'
import { restrictedParameters, storedParameters } from './value-refusals.ts'
import { parameterWords } from './words/parameter-words.ts'

/** The table and the sections of all methods in docs/api.md. */
export const apiReference = (methods: readonly MethodExample[]): string =>
  [
    tableOfMethods(methods),
    ...methods.map((one) => `\n${methodSection(one.method)}\n${exampleSection(one)}`),
  ].join('\n')

/** The number of entries that an example shows of a list. */
const SHOWN_ENTRIES = 2

/** An example call: the string that is signed, its hash, the request, its answer. */
const exampleSection = ({ method: { name }, example: { sent, string }, answer }: MethodExample): string =>
  [
    ...(string
      ? [`The string that is signed, and its hash: ${code(string)}, ${code(sent['hash'] ?? '')}.`, '']
      : []),
    '```console',
    // A form that can stand between the single quotes of a shell.
    `$ curl -d '${new URLSearchParams(sent).toString().replaceAll("'", '%27')}' http://localhost:3000/api/${name}`,
    indented(answer, SHOWN_ENTRIES),
    '```',
    '',
  ].join('\n')

/** A table of methods whose names lead to their sections. */
const tableOfMethods = (files: readonly Pick<FunctionFile, 'method'>[]): string =>
  table(
    ['Method', 'Alias', ''],
    files.map(({ method: { name, aliases = [], summary } }) => [
      `[\`${name}\`](#${name})`,
      aliases.map(code).join(', '),
      summary,
    ]),
  )

const methodSection = (contract: Contract): string =>
  [
    `## ${contract.name}`,
    '',
    contract.summary,
    '',
    `- **Path:** ${pathsOf(contract).map(code).join(', ')}${contract.postOnly ? ', POST only' : ''}`,
    `- **Callers:** ${callersInWords(contract.callers)}`,
    `- **Signature:** ${ordersInWords(contract)}`,
    `- **Refusals:** ${refusalsInWords(contract)}, as ${code(render(envelopes[contract.envelope].failure('…')))}`,
    ...valueRefusalsInWords(contract),
    '',
    parameterTable(contract),
  ].join('\n')

const callersInWords = (callers: Admission): string =>
  typeof callers === 'string'
    ? { public: 'anyone', signed: 'anyone who has the key' }[callers]
    : [
        callers.allowed.length === 5 ? 'any account' : callers.allowed.join(', '),
        `without a valid \`u\`: ${code(callers.anonymous)}`,
        ...(callers.others ? [`other accounts: ${code(callers.others)}`] : []),
      ].join('; ')

function ordersInWords({ callers, hashOrders, params }: Contract): string {
  if (callers === 'public') return 'none'
  return hashOrders.map((order) => orderInWords(order, Object.keys(params))).join('; or ')
}

function orderInWords(order: HashOrder, declared: readonly string[]): string {
  const { signs, when = {}, unless = {}, sent = [], unlessSent, unlessOn } = order
  const besides = declared.filter((name) => !signs.includes(name) && !unlessSent?.includes(name))
  const signed = signs.length === 0 ? 'the secret key alone' : `${listed(signs, ' + ')} + secret key`
  const conditions = [
    ...conditionsInWords('when', when),
    ...conditionsInWords('unless', unless),
    ...(sent.length > 0 ? [`when ${sent.map(code).join(' or ')} is sent`] : []),
    ...(unlessOn ? [`and \`${unlessOn}\` is off`] : []),
    ...(unlessSent ? [`while nothing but ${besides.map(code).join(', ')} is sent besides`] : []),
  ]
  return [signed, ...conditions].join(' ')
}

const conditionsInWords = (word: string, values: Readonly<Record<string, string>>): string[] =>
  Object.entries(values).map(([name, value]) => `${word} ${code(name)} is ${code(value)}`)

const refusalsInWords = ({ errors }: Contract): string =>
  [...new Set(Object.values(errors))].map(code).join(', ') || 'none of its own'

function valueRefusalsInWords(contract: Contract): string[] {
  const [stored, restricted] = [storedParameters(contract), restrictedParameters(contract)]
  return [
    ...(stored.length > 0
      ? [
          `- **Refusals of a value:** \`<name> has invalid characters\`, or \`<name> is invalid\` above 4,000 characters, for ${listed(stored)}`,
        ]
      : []),
    ...(restricted.length > 0
      ? ['- **Refusals of a value:** `<name> is not supported`, where only blank or one word is taken']
      : []),
  ]
}

/** Parameters that differ in their names only share a row. */
function parameterTable({ name: method, params, hashOrders }: Contract): string {
  if (Object.keys(params).length === 0) return 'No parameters of its own.\n'
  const namesByCells = new Map<string, string[]>()
  for (const [name, type] of Object.entries(params)) {
    const words = parameterWords(method, name)
    const cells = [
      words.required === true ? 'yes' : (words.required ?? ''),
      words.says + unsignedInWords(name, hashOrders),
      acceptedValues(type, words).takes,
      words.default ?? '',
    ].join(' | ')
    namesByCells.set(cells, [...(namesByCells.get(cells) ?? []), name])
  }
  const rows = [...namesByCells].map(([cells, names]) => [listed(names), cells])
  return `${table(['Parameter', 'Required', 'Meaning', 'Values', 'Default'], rows)}\n`
}

/** Names in code, in their order; `u1` to `u4` for names that count on from one another. */
function listed(names: readonly string[], separator = ', '): string {
  const runs: string[][] = []
  for (const name of names) {
    const run = runs.at(-1)
    if (run && name === successorOf(run.at(-1) ?? '')) run.push(name)
    else runs.push([name])
  }
  return runs
    .flatMap((run) => {
      const [first = '', last = ''] = [run[0], run.at(-1)]
      return run.length < 3 ? run.map(code) : [`${code(first)} to ${code(last)}`]
    })
    .join(separator)
}

const successorOf = (name: string): string | undefined =>
  /\d$/.test(name) ? name.replace(/\d+$/, (digits) => String(Number(digits) + 1)) : undefined

/** What the signatures of a method leave open. A public method has none. */
function unsignedInWords(name: string, orders: readonly HashOrder[]): string {
  const open = orders.filter(({ signs, unlessSent }) => ![...signs, ...(unlessSent ?? [])].includes(name))
  if (open.length === 0) return ''
  return open.length === orders.length ? ' *Not signed.*' : ' *Not signed* in some orders.'
}

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')

const code = (text: string): string => `\`${text}\``
