import { dismissedAnswer, failedImportsAnswer } from '#lib/api/console/answers/failed-imports.ts'
import { unknownThing } from '#lib/api/console/refusals.ts'
import { type ConsoleRequest, defineResource, operation } from '#lib/api/console/resource.ts'
import { consoleLambda } from '#lib/api/console/stack.ts'
import { sentText } from '#lib/api/console/values.ts'
import { OPERATORS } from '#lib/base/account-types.ts'
import { formatIso } from '#lib/base/calendar.ts'
import { type FailedImport, forgetFailedImport, listFailedImports } from '#lib/settings/failed-import.ts'

export const resource = defineResource({
  name: 'failed-imports',
  access: 'write',
  operations: [
    operation('GET', '/failed-imports', {
      summary:
        'The last 20 files in the bucket whose import failed or refused rows, newest first. A file leaves the list when it is imported whole.',
      callers: OPERATORS,
      answer: failedImportsAnswer,
      run: async (request) => {
        const found = await listFailedImports(request.store)
        return { imports: found.map((one) => rowOf(one, request)) }
      },
    }),
    operation('DELETE', '/failed-imports/{id}', {
      summary: 'Dismisses a failed import: takes the file off the list, and changes nothing else.',
      callers: ['admin'],
      params: { id: sentText },
      answer: dismissedAnswer,
      run: async ({ store, params: { id }, logged }) => {
        const entry = (await listFailedImports(store)).find((one) => idOf(one) === id)
        if (!entry) throw unknownThing('failed import', id)
        await store.transact([logged({ action: `dismissed the failed import of ${entry.file}` })])
        await forgetFailedImport(store, entry.file)
        return { id }
      },
    }),
  ],
})

export const handler = consoleLambda(resource)

/** Keys have slashes, which a path must not have. */
const idOf = ({ file }: FailedImport): string => Buffer.from(file).toString('base64url')

function rowOf(entry: FailedImport, { settings }: Pick<ConsoleRequest, 'settings'>) {
  const { file, kind, at, reason, rejected, parts } = entry
  const rows = parts.reduce((sum, part) => sum + part.rows, 0)
  const refused = parts.reduce((sum, part) => sum + part.refused, 0)
  return {
    id: idOf(entry),
    file,
    kind,
    at: formatIso(at, settings.Timezone),
    rows: rows || null,
    refused: rows === 0 ? null : refused,
    reason,
    rejected: rejected ?? null,
  }
}
