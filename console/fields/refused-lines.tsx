import { Table } from '../tables/table.tsx'

interface RefusedRowsProps {
  readonly rows: readonly { readonly line: number; readonly reason: string }[]
  /** The noun that a number counts. */
  readonly noun?: 'Line' | 'Row'
}

/** The first rows of a file that are refused, each with its reason. */
export const RefusedLines = ({ rows, noun = 'Line' }: RefusedRowsProps) =>
  rows.length === 0 ? null : (
    <Table
      label="Refused rows"
      columns={[
        { title: `Refused ${noun.toLowerCase()}`, text: ({ line }) => `${noun} ${line}` },
        { title: 'Reason', text: ({ reason }) => reason },
      ]}
      rows={rows}
    />
  )
