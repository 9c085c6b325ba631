import type { Command } from '@commander-js/extra-typings'
import { dismissFailedImport } from '#lib/acts/imports/dismiss-failed-import.ts'
import { listFailedImports } from '#lib/settings/failed-import.ts'
import { actCommand } from '../../command-line/act-commands.ts'
import { listCommand } from '../../command-line/actions.ts'
import { listingOf } from '../../command-line/listing.ts'
import { ACTOR, withTableOptions } from '../../command-line/over-table.ts'

export function declare(command: Command): void {
  const imports = withTableOptions(command)
    .description('The last 20 files in the bucket whose import failed or refused rows (docs/deployment.md).')
    .addOption(ACTOR)
  listCommand(imports, 'list', 'list the files, the newest first', async (store) =>
    listingOf(store, 'file', await listFailedImports(store), {
      file: 'text',
      kind: 'text',
      at: ['time', ({ at }) => at],
      reason: 'text',
    }),
  )
  actCommand(imports, 'dismiss', dismissFailedImport, ['id'])
}
