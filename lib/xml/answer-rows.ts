/** An element of an answer that was read. */
export interface XmlNode {
  readonly name: string
  readonly attributes: readonly (readonly [name: string, value: string])[]
  readonly children: readonly XmlNode[]
  readonly text: string
}

/** Text by the path of its element: `calldate.date`. */
export type Row = Readonly<Record<string, string>>

export interface Rows {
  readonly title: string
  readonly rows: readonly Row[]
}

/** Attributes and what is inside, however deep, by path. */
export function rowOf(node: XmlNode, path = ''): Row {
  const own = Object.fromEntries(node.attributes.map(([name, value]) => [path + name, value]))
  if (node.children.length === 0) return { ...own, ...(path && { [path.slice(0, -1)]: node.text }) }
  return Object.assign(own, ...node.children.map((child) => rowOf(child, `${path}${child.name}.`)))
}

/** Whether an element is named by the plural of another: `devices` of `device`. */
export const isPluralOf = (parent: string, name: string): boolean =>
  parent.toLowerCase() === `${name}s`.toLowerCase()

/** A list is what repeats, or what stands alone in an element named by its plural. */
function isList(node: XmlNode, name: string): boolean {
  const alike = node.children.filter((child) => child.name === name)
  const areRows = alike.every(({ children, attributes }) => children.length + attributes.length > 0)
  return areRows && (alike.length > 1 || isPluralOf(node.name, name))
}

/** The lists of an answer, each with one row for each of its elements, and one row for what stands alone. */
export function rowsIn(node: XmlNode): Rows[] {
  const names = [...new Set(node.children.map(({ name }) => name))]
  const lists = names.filter((name) => isList(node, name))
  const single = node.children.filter(({ name }) => !lists.includes(name))
  const alone = Object.assign(
    Object.fromEntries(node.attributes),
    ...single.filter(({ children }) => children.length === 0).map(({ name, text }) => ({ [name]: text })),
  ) as Row
  return [
    ...(Object.keys(alone).length > 0 ? [{ title: node.name, rows: [alone] }] : []),
    ...single.filter(({ children }) => children.length > 0).flatMap(rowsIn),
    ...lists.map((name) => ({
      title: `${node.name}: ${name}`,
      rows: node.children.filter((child) => child.name === name).map((child) => rowOf(child)),
    })),
  ]
}
