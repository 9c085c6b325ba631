import { type Element as Node, xml2js } from 'xml-js'
import { isPluralOf } from '#lib/xml/answer-rows.ts'
import type { JsonSchema } from './schemas.ts'

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
