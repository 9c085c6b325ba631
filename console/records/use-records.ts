import type { CustomersAnswer } from '#lib/api/console/answers/customers.ts'
import type { RecordsAnswer } from '#lib/api/console/answers/records.ts'
import { useReading } from '../api/use-reading.ts'

/** A column as the API declares it for a form. */
export type DeclaredField = RecordsAnswer['fields'][number]

type Names = ReadonlyMap<string, string>

/** The names of the first records of a kind, under their ids. */
export function useRecordNames(kind: string | undefined): Names {
  const { value } = useReading<RecordsAnswer>(kind && `/records/${kind}`)
  return new Map(value?.records.map(({ id, name }) => [id, name]))
}

/** The names of what these fields name, by kind. Beyond a kind's first page, the id is shown instead. */
export function useNamesOf(
  fields: readonly DeclaredField[],
  of: string | undefined,
): ReadonlyMap<string, Names> {
  const kinds = new Set(fields.flatMap((field) => field.of ?? []))
  const ifNamed = (kind: string) => (kinds.has(kind) && of === undefined ? kind : undefined)
  const accounts = useReading<CustomersAnswer>(kinds.has('accounts') ? '/customers' : undefined).value
  return new Map([
    ['accounts', new Map(accounts?.customers.map(({ id, name }) => [String(id), name]))],
    ['tariffs', useRecordNames(kinds.has('tariffs') ? 'tariffs' : undefined)],
    ['providers', useRecordNames(ifNamed('providers'))],
    ['services', useRecordNames(ifNamed('services'))],
  ])
}
