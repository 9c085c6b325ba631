import type { ComponentChildren } from 'preact'
import { useId, useMemo, useState } from 'preact/hooks'
import { type AnswerRow, answerTables, type XmlNode } from '#lib/xml/answer-rows.ts'
import type { Answer } from '../api/request.ts'
import { errorIn, readXml } from '../api/xml.ts'
import { download } from '../base/download.ts'
import { ProblemNotice } from '../states/problem-notice.tsx'
import type { TypedColumn } from '../tables/columns.tsx'
import { Table } from '../tables/table.tsx'
import { areNumbers } from '../tables/table-rows.ts'
import { Badge } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { Code } from '../ui/code.tsx'
import { CopyButton } from '../ui/copy-button.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { Facts } from '../ui/facts.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { TabList, TabPanel } from '../ui/tabs.tsx'

const FORMS = [
  ['table', 'Table'],
  ['tree', 'Tree'],
  ['xml', 'XML'],
] as const

type Form = (typeof FORMS)[number][0]

/** A longer answer is not parsed: it can be copied and downloaded. */
const PARSED_CHARACTERS = 3_000_000
const SHOWN_CHARACTERS = 50_000

interface AnswerPaneProps {
  readonly method: string
  readonly answer: Answer | undefined
  readonly isBusy: boolean
}

export function AnswerPane({ method, answer, isBusy }: AnswerPaneProps) {
  const [form, setForm] = useState<Form>('table')
  const id = useId()
  const text = answer?.text ?? ''
  const root = useMemo(() => (text.length > PARSED_CHARACTERS ? undefined : readXml(text)), [text])
  if (isBusy) return <Skeleton what="the answer" lines={6} />
  if (!answer) return <EmptyState icon="send" title="No answer yet" text="Send the request to see it here." />
  const refusal = root && errorIn(root)
  return (
    <>
      <Outcome answer={answer} refusal={refusal} />
      <div class="cluster">
        <TabList id={id} label="Form of the answer" tabs={FORMS} value={form} onChange={setForm} />
        <span class="cluster links">
          <CopyButton text={text} what="the answer" />
          <Button
            small
            icon="download"
            label="Download the answer"
            onClick={() => download(`${method}.xml`, text, 'text/xml')}
          >
            Download
          </Button>
        </span>
      </div>
      {refusal !== undefined && <ProblemNotice text={refusal} />}
      <TabPanel id={id} value={form}>
        {root ? (
          <Shown form={form} root={root} isRefused={refusal !== undefined} />
        ) : (
          <Unparsed text={text} />
        )}
      </TabPanel>
    </>
  )
}

const Outcome = ({ answer, refusal }: { readonly answer: Answer; readonly refusal: string | undefined }) => (
  <div class="cluster">
    <h2>Answer</h2>
    {refusal === undefined ? <Badge tone="good" text="Answered" /> : <Badge tone="bad" text="Refused" />}
    <span class="muted nowrap links">
      HTTP {answer.status} · {answer.milliseconds} ms · {answer.bytes.toLocaleString('en')} bytes
    </span>
  </div>
)

interface ShownProps {
  readonly form: Form
  readonly root: XmlNode
  readonly isRefused: boolean
}

/** The table of a refusal would repeat its words. */
function Shown({ form, root, isRefused }: ShownProps) {
  if (form === 'table') return isRefused ? null : <AnswerTables node={root} />
  return form === 'tree' ? <AnswerTree node={root} /> : <XmlSource node={root} />
}

const Unparsed = ({ text }: { readonly text: string }) => (
  <Code>
    {text.slice(0, SHOWN_CHARACTERS)}
    {text.length > SHOWN_CHARACTERS && '\n… Download the answer to see the rest.'}
  </Code>
)

/** Each list of an answer as a table, and below them the values outside lists as names with their values. */
function AnswerTables({ node }: { readonly node: XmlNode }) {
  const tables = answerTables(node)
  return (
    <>
      {tables
        .filter(({ isList }) => isList)
        .map(({ title, rows }) => (
          <Table key={title} label={title} isTitled rows={rows} columns={columnsOf(rows)} />
        ))}
      {tables
        .filter(({ isList }) => !isList)
        .map(({ title, rows }) => (
          <Facts key={title} facts={Object.entries(rows[0] ?? {})} />
        ))}
    </>
  )
}

/** The values decide whether a column is one of numbers. A blank value stays blank. */
const columnsOf = (rows: readonly AnswerRow[]): TypedColumn<AnswerRow>[] =>
  [...new Set(rows.flatMap((row) => Object.keys(row)))].map((title) => {
    const text = (row: AnswerRow) => row[title] ?? ''
    return areNumbers(rows.map(text)) ? { title, number: text, show: text } : { title, text, show: text }
  })

const isLeaf = ({ children, attributes }: XmlNode): boolean =>
  children.length === 0 && attributes.length === 0

/** Longer lists are folded at first. */
const UNFOLDED_ELEMENTS = 20

/** Elements within elements; each can be folded. */
function AnswerTree({ node }: { readonly node: XmlNode }) {
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

/** More lines make a page slow. */
const MAX_LINES = 2000

interface Line {
  readonly depth: number
  readonly content: ComponentChildren
}

/** A document, indented and in colours. */
function XmlSource({ node }: { readonly node: XmlNode }) {
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
