import { Refusal } from '#lib/base/refusal.ts'
import { failedImportDismissed } from '#lib/settings/failed-import.ts'
import { defineAct } from '../act.ts'
import { textInput } from '../inputs.ts'

/** The id of a failed import: keys have slashes, which a path must not have. */
export const idOfFailedImport = (file: string): string => Buffer.from(file).toString('base64url')

/** Removes the file from the list, and nothing else. */
export const dismissFailedImport = defineAct({
  summary: 'Dismiss a failed import: take the file off the list, and change nothing else',
  callers: ['admin'],
  input: { id: textInput('the file, as the list names it') },
  run: async ({ store, namesAreTyped }, { id }) => {
    const dismissed = await failedImportDismissed(
      store,
      ({ file }) => idOfFailedImport(file) === id || (namesAreTyped && file === id),
    )
    if (!dismissed) throw new Refusal('unknown_name', { noun: 'failed import', name: id }, 'id')
    const { file, change } = dismissed
    return {
      changes: [change],
      answer: { id: idOfFailedImport(file) },
      log: { action: `dismissed the failed import of ${file}` },
    }
  },
})
