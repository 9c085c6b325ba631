import { type AnswerRow, answerTables } from '#lib/xml/answer-rows.ts'
import type { XmlNode } from '../api/xml.ts'
import { Table } from '../views/table.tsx'

/** Each list of an answer as a table, and what stands alone as a table of two columns. */
export const AnswerTable = ({ node }: { readonly node: XmlNode }) => (
  <>
    {answerTables(node).map(({ title, rows }, at) => (
      <Table key={at} caption={title} rows={rows} columns={columnsOf(rows)} />
    ))}
  </>
)

const columnsOf = (rows: readonly AnswerRow[]): string[] => [
  ...new Set(rows.flatMap((row) => Object.keys(row))),
]
