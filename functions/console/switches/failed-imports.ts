import { dismissFailedImport, idOfFailedImport } from '#lib/acts/imports/dismiss-failed-import.ts'
import { actOperation } from '#lib/api/console/act-operation.ts'
import { type ConsoleRequest, defineResource, operation } from '#lib/api/console/resource.ts'
import { consoleLambda } from '#lib/api/console/stack.ts'
import { OPERATORS } from '#lib/base/account-types.ts'
import { formatIso } from '#lib/base/calendar.ts'
import { type FailedImport, listFailedImports } from '#lib/settings/failed-import.ts'

export const resource = defineResource({
  name: 'failed-imports',
  access: 'write',
  operations: [
    operation('GET', '/failed-imports', {
      summary:
        'The last 20 files in the bucket whose import failed or refused rows, newest first. A file leaves the list when it is imported whole.',
      callers: OPERATORS,
      run: async (request) => {
        const found = await listFailedImports(request.store)
        return { imports: found.map((one) => rowOf(one, request)) }
      },
    }),
    actOperation('DELETE', '/failed-imports/{id}', dismissFailedImport),
  ],
})

export const handler = consoleLambda(resource)

function rowOf(entry: FailedImport, { settings }: Pick<ConsoleRequest, 'settings'>) {
  const { file, kind, at, reason, rejected, parts } = entry
  const rows = parts.reduce((sum, part) => sum + part.rows, 0)
  const refused = parts.reduce((sum, part) => sum + part.refused, 0)
  return {
    id: idOfFailedImport(entry.file),
    file,
    kind,
    at: formatIso(at, settings.Timezone),
    rows: rows || null,
    refused: rows === 0 ? null : refused,
    reason,
    rejected: rejected ?? null,
  }
}
