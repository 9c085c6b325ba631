export interface XmlNode {
  readonly name: string
  readonly attributes: readonly (readonly [name: string, value: string])[]
  readonly children: readonly XmlNode[]
  readonly text: string
}

/** Texts by the path of their element, such as `calldate.date`. */
export type AnswerRow = Readonly<Record<string, string>>

export interface AnswerTable {
  readonly title: string
  /** False for the one row of the values outside lists. */
  readonly isList: boolean
  readonly rows: readonly AnswerRow[]
}

/** The attributes and the texts at any depth, by path. */
export function answerRow(node: XmlNode, path = ''): AnswerRow {
  const own = Object.fromEntries(node.attributes.map(([name, value]) => [path + name, value]))
  if (node.children.length === 0) return { ...own, ...(path && { [path.slice(0, -1)]: node.text }) }
  return Object.assign(own, ...node.children.map((child) => answerRow(child, `${path}${child.name}.`)))
}

/** Whether `parent` is the plural of `name`, such as `devices` of `device`. */
export const isPluralOf = (parent: string, name: string): boolean =>
  parent.toLowerCase() === `${name}s`.toLowerCase()

/** An element is part of a list if it repeats or if its parent's name is its plural. */
function isList(node: XmlNode, name: string): boolean {
  const alike = node.children.filter((child) => child.name === name)
  const areRows = alike.every(({ children, attributes }) => children.length + attributes.length > 0)
  return areRows && (alike.length > 1 || isPluralOf(node.name, name))
}

/** The tables of an answer: one for each list, and a table of one row for the values outside lists. */
export function answerTables(node: XmlNode): AnswerTable[] {
  const names = [...new Set(node.children.map(({ name }) => name))]
  const lists = names.filter((name) => isList(node, name))
  const single = node.children.filter(({ name }) => !lists.includes(name))
  const alone = Object.assign(
    Object.fromEntries(node.attributes),
    ...single.filter(({ children }) => children.length === 0).map(({ name, text }) => ({ [name]: text })),
  ) as AnswerRow
  return [
    ...(Object.keys(alone).length > 0 ? [{ title: node.name, isList: false, rows: [alone] }] : []),
    ...single.filter(({ children }) => children.length > 0).flatMap(answerTables),
    ...lists.map((name) => ({
      title: `${node.name}: ${name}`,
      isList: true,
      rows: node.children.filter((child) => child.name === name).map((child) => answerRow(child)),
    })),
  ]
}
