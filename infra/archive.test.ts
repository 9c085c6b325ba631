import { expect, test } from 'vitest'
import { ARCHIVED_COLUMNS, PRICE_TYPE } from '#lib/calls/archive/call-file.ts'
import { archiveKeys } from '#lib/calls/archive/manifest.ts'
import { ofType, packagedTemplate } from '#test/template/template.ts'

/** The types of Athena in which the files of the archive have their columns. */
const TYPES = {
  text: 'string',
  number: 'bigint',
  flag: 'boolean',
  moment: 'timestamp',
  price: `decimal(${PRICE_TYPE.precision},${PRICE_TYPE.scale})`,
} as const

interface TableInput {
  readonly Parameters: Readonly<Record<string, unknown>>
  readonly StorageDescriptor: { readonly Columns: unknown }
}

const [[, { TableInput: table }]] = ofType(await packagedTemplate('prod'), 'AWS::Glue::Table') as [
  [string, { TableInput: TableInput }],
]

test('the table of Athena has the columns of the files, in their order and types', () => {
  expect(table.StorageDescriptor.Columns).toEqual(
    Object.entries(ARCHIVED_COLUMNS).map(([Name, kind]) => ({ Name, Type: TYPES[kind] })),
  )
})

test('Athena looks for a day in the folder where the archive writes it', () => {
  const { 'Fn::Sub': location = '' } = table.Parameters['storage.location.template'] as { 'Fn::Sub'?: string }
  const prefix = location.replace(`s3://\${ArchiveBucket}/`, '').replace(`\${!day}`, '2026-03-05')

  expect(archiveKeys.calls('2026-03-05', 0).startsWith(prefix)).toBe(true)
})
