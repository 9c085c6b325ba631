import type { Admission, Contract } from '#lib/api/method.ts'
import type { ParameterType } from '#lib/api/parameters.ts'
import type { HashOrder } from '#lib/api/signature.ts'
import { envelopes } from '#lib/xml/envelopes.ts'
import { render } from '#lib/xml/render.ts'
import { indented } from './answer-text.ts'
import type { FunctionFile } from './function-files.ts'
import type { MethodExample } from './openapi/document.ts'
import { acceptedValues } from './openapi/schemas.ts'
import { parameterWords } from './words/parameter-words.ts'
import type { ParameterWords } from './words/words.ts'

/** The index and the sections of all methods in docs/api.md. */
export const apiReference = (methods: readonly MethodExample[]): string => {
  const documented: Documented = new Map()
  const sections = methods.map((one) => `\n${methodSection(one.method, documented)}\n${exampleSection(one)}`)
  return [indexOf(methods), ...sections].join('\n')
}

/** The first method whose section describes a parameter, by the parameter's name and description. */
type Documented = Map<string, string>

/** The number of entries that an example shows of a list. */
const SHOWN_ENTRIES = 1

/** An example call: the string that is signed, the request with its hash, its answer. */
const exampleSection = ({ method: { name }, example: { sent, string }, answer }: MethodExample): string =>
  [
    ...(string ? [`Signed: ${code(string)}`, ''] : []),
    '```console',
    // A form that fits between the single quotes of a shell.
    `$ curl -d '${new URLSearchParams(sent).toString().replaceAll("'", '%27')}' http://localhost:3000/api/${name}`,
    indented(answer, SHOWN_ENTRIES).replace(/^<\?xml.*\n/, ''),
    '```',
    '',
  ].join('\n')

/** The names of all methods, by area, as links to their sections. */
const indexOf = (files: readonly Pick<FunctionFile, 'area' | 'method'>[]): string =>
  [...Map.groupBy(files, ({ area }) => area)]
    .map(([area, ofArea]) => `- ${area}: ${ofArea.map(({ method }) => linkTo(method)).join(', ')}`)
    .join('\n')

const linkTo = ({ name }: Contract): string => `[${name}](#${name})`

const methodSection = (contract: Contract, documented: Documented): string =>
  [
    `## ${contract.name}`,
    '',
    contract.summary,
    '',
    ...aliasesOf(contract),
    `- **Callers:** ${callersInWords(contract.callers)}`,
    `- **Signature:** ${ordersInWords(contract)}`,
    `- **Refusals:** ${refusalsInWords(contract)}`,
    '',
    parameterList(contract, documented),
  ].join('\n')

function aliasesOf({ aliases = [], postOnly }: Contract): string[] {
  const names = aliases.map(code).join(', ')
  const facts = [...(names === '' ? [] : [`**Alias:** ${names}`]), ...(postOnly ? ['POST only'] : [])]
  return facts.length === 0 ? [] : [`- ${facts.join('; ')}`]
}

/** The refusal of most requests without a valid caller, which the page names once. */
const USUAL_ANONYMOUS = 'Access Denied'

const callersInWords = (callers: Admission): string =>
  typeof callers === 'string'
    ? { public: 'anyone', signed: 'anyone who has the key' }[callers]
    : [
        callers.allowed.length === 5 ? 'any account' : callers.allowed.join(', '),
        ...(callers.anonymous === USUAL_ANONYMOUS ? [] : [`no valid \`u\`: ${code(callers.anonymous)}`]),
        ...(callers.others ? [`others: ${code(callers.others)}`] : []),
      ].join('; ')

function ordersInWords({ callers, hashOrders, params }: Contract): string {
  if (callers === 'public') return 'none'
  return hashOrders.map((order) => orderInWords(order, Object.keys(params))).join('; or ')
}

function orderInWords(order: HashOrder, declared: readonly string[]): string {
  const { signs, when = {}, unless = {}, sent = [], unlessSent, unlessOn } = order
  const besides = declared.filter((name) => !signs.includes(name) && !unlessSent?.includes(name))
  const signed = signs.length === 0 ? 'the secret key alone' : `${listed(signs)}`
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

/** The shape of most refusals, which the page names once. */
const USUAL_SHAPE = render(envelopes.page.failure('…'))

function refusalsInWords({ errors, envelope }: Contract): string {
  const refusals = [...new Set(Object.values(errors))].map(code).join(', ') || 'none of its own'
  const shape = render(envelopes[envelope].failure('…'))
  return shape === USUAL_SHAPE ? refusals : `${refusals}, as ${code(shape)}`
}

/** A method refers to the section of another one only for several parameters. */
const FEWEST_REFERRED = 4

/** Parameters that differ only in name share an item, as do those that an earlier section describes. */
function parameterList({ name: method, params, hashOrders }: Contract, documented: Documented): string {
  if (Object.keys(params).length === 0) return 'No parameters of its own.\n'
  const described = Object.entries(params).map(([name, type]) => {
    const words = parameterWords(method, name)
    const text = parameterInWords(type, words)
    const key = `${name}${text.replace(/ Default: .*/, '')}`
    return { name, text, key, earlier: words.default === undefined ? documented.get(key) : undefined }
  })
  const byEarlier = Map.groupBy(described, ({ earlier }) => earlier)
  const namesByText = Map.groupBy(described, ({ text, earlier }) => {
    const referred = earlier !== undefined && (byEarlier.get(earlier)?.length ?? 0) >= FEWEST_REFERRED
    return referred ? `: As in [${earlier}](#${earlier}).` : text
  })
  for (const { key } of described) if (!documented.has(key)) documented.set(key, method)
  const signed = new Set(hashOrders.flatMap(({ signs }) => signs))
  const items = [...namesByText].map(
    ([text, group]) =>
      `- ${namesInWords(
        group.map(({ name }) => name),
        signed,
      )}${text}`,
  )
  return `${items.join('\n')}\n`
}

const MOST_NAMES = 20

/** A long list of signed parameters is not written again: the signature has it. */
const namesInWords = (names: readonly string[], signed: ReadonlySet<string>): string =>
  names.length > MOST_NAMES && names.every((name) => signed.has(name))
    ? 'The others that are signed'
    : listed(names)

function parameterInWords(type: ParameterType, words: ParameterWords): string {
  const facts = [
    words.required === true ? 'required' : words.required && `required ${words.required}`,
    acceptedValues(type, words).short,
    type.stored && 'stored',
  ].filter(Boolean)
  const byDefault = words.default === undefined ? '' : ` Default: ${words.default}.`
  return `${facts.length === 0 ? '' : ` (${facts.join('; ')})`}: ${words.says}${byDefault}`
}

/** Names in code, in their order; `u1` to `u4` for names that count on from one another. */
function listed(names: readonly string[]): string {
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
    .join(', ')
}

const successorOf = (name: string): string | undefined =>
  /\d$/.test(name) ? name.replace(/\d+$/, (digits) => String(Number(digits) + 1)) : undefined

const code = (text: string): string => `\`${text}\``
