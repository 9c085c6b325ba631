import { type Element as Node, xml2js } from 'xml-js'
import type { ParameterType, ValueKind } from '#lib/api/parameters.ts'
import { UNIX_TIME_FORMAT } from '#lib/api/unread-values.ts'
import { isPluralOf } from '#lib/xml/answer-rows.ts'
import type { ParameterWords } from '#tools/contracts/words/words.ts'

export interface JsonSchema {
  readonly [keyword: string]: unknown
}

/** The values a parameter takes: schema, words with the effect of others, and docs/api.md's names. */
interface AcceptedValues {
  readonly schema: JsonSchema
  readonly takes: string
  readonly short: string
}

const MAX_ID = 10 ** 15 - 1
/** The end of the year 9999. */
const MAX_UNIX_SECONDS = 253_402_300_799

const NO_SUCH = 'anything else is an unknown id'

const ANY_TEXT: AcceptedValues = { schema: { type: 'string' }, takes: 'text', short: '' }

const ID_SCHEMA = { type: 'integer', minimum: 0, maximum: MAX_ID }

const ACCEPTED: Readonly<Record<ValueKind, AcceptedValues | ((type: ParameterType) => AcceptedValues)>> = {
  id: { schema: ID_SCHEMA, takes: `a whole number; ${NO_SUCH}`, short: 'id' },
  'id or none': {
    schema: { type: 'integer', minimum: -1, maximum: MAX_ID },
    takes: `a whole number, or -1; ${NO_SUCH}`,
    short: 'id or -1',
  },
  'id or all': {
    schema: { anyOf: [ID_SCHEMA, { const: 'all' }] },
    takes: `a whole number, or \`all\`; ${NO_SUCH}`,
    short: 'id or `all`',
  },
  digits: {
    schema: { type: 'string', pattern: '^\\d*$' },
    takes: 'digits; anything else is refused',
    short: 'digits',
  },
  time: {
    schema: { type: 'integer', format: UNIX_TIME_FORMAT, minimum: 0, maximum: MAX_UNIX_SECONDS },
    takes: 'a Unix timestamp; anything else, such as 2026-11-18, counts as not sent',
    short: 'time',
  },
  text: ANY_TEXT,
  ignored: ANY_TEXT,
  'only default': ({ byDefault }) => {
    const only = byDefault ? `\`${byDefault}\`` : 'blank'
    return {
      schema: { type: 'string', enum: byDefault ? ['', byDefault] : [''] },
      takes: `${only}; anything else is refused`,
      short: `only ${only}`,
    }
  },
  'one word': ({ words = [] }) => {
    const listed = words.map((word) => `\`${word}\``).join(', ')
    return {
      schema: { type: 'string', enum: words },
      takes: `${listed}; anything else counts as not sent`,
      short: listed,
    }
  },
}

export function acceptedValues(type: ParameterType, { values, otherwise }: ParameterWords): AcceptedValues {
  const ofKind = ACCEPTED[type.kind]
  const accepted = typeof ofKind === 'function' ? ofKind(type) : ofKind
  const written = otherwise ?? values?.join(', ')
  return { ...accepted, ...(written !== undefined && { takes: written, short: written }) }
}

/** The value as a number if the schema is one of integers. */
export const typedValue = ({ type }: JsonSchema, value: string): string | number =>
  type === 'integer' && value !== '' ? Number(value) : value

/** An answer's schema, from an example: elements in order, and a list for each repeated one. */
export function answerSchema(document: string): JsonSchema {
  const { elements = [] } = xml2js(document) as Node
  const root = elements.find(({ type }) => type === 'element')
  if (!root) throw new Error(`Not an XML document: ${document}`)
  return { ...schemaOf([root]), xml: { name: root.name } }
}

/** One schema for elements of one name. */
function schemaOf(alike: readonly Node[]): JsonSchema {
  const children = alike.flatMap(childrenOf)
  const attributes = Object.assign({}, ...alike.map((one) => one.attributes ?? {}))
  if (children.length === 0 && Object.keys(attributes).length === 0) return { type: 'string' }
  const names = [...new Set(children.map(({ name = '' }) => name))]
  return {
    type: 'object',
    properties: {
      ...Object.fromEntries(Object.keys(attributes).map((name) => [name, ATTRIBUTE])),
      ...Object.fromEntries(names.map((name) => [name, childSchema(alike, name)])),
    },
  }
}

const ATTRIBUTE: JsonSchema = { type: 'string', xml: { attribute: true } }

function childSchema(parents: readonly Node[], name: string): JsonSchema {
  const perParent = parents.map((parent) => childrenOf(parent).filter((child) => child.name === name))
  const schema = schemaOf(perParent.flat())
  // An element named for its plural parent is a list even if it occurs once: `device` in `devices`.
  const isList =
    perParent.some(({ length }) => length > 1) ||
    parents.some((parent) => isPluralOf(parent.name ?? '', name))
  return isList ? { type: 'array', items: schema } : schema
}

const childrenOf = ({ elements = [] }: Node): Node[] => elements.filter(({ type }) => type === 'element')
