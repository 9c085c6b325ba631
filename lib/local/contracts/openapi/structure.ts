import { type Element as Node, xml2js } from 'xml-js'
import { isPluralOf } from '#lib/xml/answer-rows.ts'
import type { Schema } from './schemas.ts'

/** The structure of an answer, as it shows in a real one: elements in their order, lists where one repeats. */
export function structureOf(document: string): Schema {
  const { elements = [] } = xml2js(document) as Node
  const root = elements.find(({ type }) => type === 'element')
  if (!root) throw new Error(`This is not a document: ${document}`)
  return { ...schemaOf([root]), xml: { name: root.name } }
}

/** One schema for elements of one name. */
function schemaOf(alike: readonly Node[]): Schema {
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

const ATTRIBUTE: Schema = { type: 'string', xml: { attribute: true } }

function childSchema(parents: readonly Node[], name: string): Schema {
  const perParent = parents.map((parent) => childrenOf(parent).filter((child) => child.name === name))
  const schema = schemaOf(perParent.flat())
  // A list of one is a list as well: the devices of a customer, whose only one is a device.
  const isList =
    perParent.some(({ length }) => length > 1) ||
    parents.some((parent) => isPluralOf(parent.name ?? '', name))
  return isList ? { type: 'array', items: schema } : schema
}

const childrenOf = ({ elements = [] }: Node): Node[] => elements.filter(({ type }) => type === 'element')
