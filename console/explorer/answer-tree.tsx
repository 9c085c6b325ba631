import type { XmlNode } from '#lib/xml/answer-rows.ts'

const isLeaf = ({ children, attributes }: XmlNode): boolean =>
  children.length === 0 && attributes.length === 0

/** Longer lists are folded at first. */
const UNFOLDED_ELEMENTS = 20

/** Elements within elements; each can be folded. */
export function AnswerTree({ node }: { readonly node: XmlNode }) {
  if (isLeaf(node)) {
    return (
      <div class="leaf">
        <code class="tag">{node.name}</code> {node.text}
      </div>
    )
  }
  return (
    <details class="branch" open={node.children.length <= UNFOLDED_ELEMENTS}>
      <summary>
        <code class="tag">{node.name}</code>{' '}
        {node.attributes.map(([name, value]) => (
          <code key={name} class="attribute">
            {name}={value}{' '}
          </code>
        ))}
        {node.children.length > 1 && <span class="muted">{node.children.length} elements</span>}
      </summary>
      {node.children.map((child, index) => (
        <AnswerTree key={index} node={child} />
      ))}
    </details>
  )
}
