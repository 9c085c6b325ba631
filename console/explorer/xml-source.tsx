import type { ComponentChildren } from 'preact'
import type { XmlNode } from '#lib/xml/answer-rows.ts'
import { Code } from '../ui/code.tsx'

/** More lines make a page slow. */
const MAX_LINES = 2000

interface Line {
  readonly depth: number
  readonly content: ComponentChildren
}

/** A document, indented and in colours. */
export function XmlSource({ node }: { readonly node: XmlNode }) {
  const lines: Line[] = []
  for (const line of linesOf(node, 0)) {
    if (lines.length === MAX_LINES) break
    lines.push(line)
  }
  return (
    <Code>
      {lines.map(({ depth, content }, index) => (
        <div key={index}>
          {'  '.repeat(depth)}
          {content}
        </div>
      ))}
      {lines.length === MAX_LINES && <div>… Download the answer to see the rest.</div>}
    </Code>
  )
}

function* linesOf(node: XmlNode, depth: number): Generator<Line> {
  const { name, text, children } = node
  const open = <Opening node={node} />
  if (children.length === 0) {
    yield { depth, content: text === '' ? <Opening node={node} isEmpty /> : <Leaf node={node} /> }
    return
  }
  yield { depth, content: open }
  for (const child of children) yield* linesOf(child, depth + 1)
  yield { depth, content: <span class="tag">{`</${name}>`}</span> }
}

interface OpeningProps {
  readonly node: XmlNode
  readonly isEmpty?: boolean
}

const Opening = ({ node: { name, attributes }, isEmpty = false }: OpeningProps) => (
  <>
    <span class="tag">{`<${name}`}</span>
    {attributes.map(([key, value]) => (
      <span key={key} class="attribute">{` ${key}="${value}"`}</span>
    ))}
    <span class="tag">{isEmpty ? '/>' : '>'}</span>
  </>
)

const Leaf = ({ node }: { readonly node: XmlNode }) => (
  <>
    <Opening node={node} />
    {node.text}
    <span class="tag">{`</${node.name}>`}</span>
  </>
)
