import type { XmlNode } from '../api/xml.ts'

const isLeaf = ({ children, attributes }: XmlNode): boolean =>
  children.length === 0 && attributes.length === 0

/** Lists of more than this are folded at first. */
const MANY = 20

/** Elements within elements; each can be folded. */
export function AnswerTree({ node }: { readonly node: XmlNode }) {
  if (isLeaf(node)) {
    return (
      <div class="leaf">
        <code>{node.name}</code> {node.text}
      </div>
    )
  }
  return (
    <details class="branch" open={node.children.length <= MANY}>
      <summary>
        <code>{node.name}</code>{' '}
        {node.attributes.map(([name, value]) => (
          <span key={name} class="attribute">
            {name}={value}{' '}
          </span>
        ))}
        {node.children.length > 1 && <small>{node.children.length} elements</small>}
      </summary>
      {node.children.map((child, at) => (
        <AnswerTree key={at} node={child} />
      ))}
    </details>
  )
}
