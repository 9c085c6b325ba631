import type { RecordsAnswer } from '#lib/api/console/answers/customers.ts'
import { useQuery } from '../api/use-query.ts'

/** A column as the API declares it for a form. */
export type DeclaredField = RecordsAnswer['fields'][number]

/** The names of the first records of a kind, under their ids. */
export function useRecordNames(kind: string | undefined): ReadonlyMap<string, string> {
  const { value } = useQuery(kind && `/records/${kind}`)
  return new Map(value?.records.map(({ id, name }) => [id, name]))
}
