import { type AnswerRow, answerTables, type XmlNode } from '#lib/xml/answer-rows.ts'
import { Table, type TableColumn } from '../tables/table.tsx'
import { Facts } from '../ui/facts.tsx'

/** Each list of an answer as a table, and below them the values outside lists as names with their values. */
export function AnswerTables({ node }: { readonly node: XmlNode }) {
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

const columnsOf = (rows: readonly AnswerRow[]): TableColumn[] =>
  [...new Set(rows.flatMap((row) => Object.keys(row)))].map((key) => ({ key }))
