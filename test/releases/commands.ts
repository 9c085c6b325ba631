import { text } from 'node:stream/consumers'
import { listPendingEvents } from '#lib/cdrs/dialogs/dialog-event.ts'
import { openMediation } from '#lib/cdrs/mediation.ts'
import { type Listing, listingText } from '#tools/command-line/listing.ts'
import { listAccountRows } from '#tools/commands/account/account.ts'
import { listIntakeRows } from '#tools/commands/intake/intake.ts'
import { listReratingRows } from '#tools/commands/rerate/rerate-tool.ts'
import { listSettings, listSettingsLogRows } from '#tools/commands/settings/settings-tool.ts'
import { listSuspendedRows, showSuspended } from '#tools/commands/suspense/suspense.ts'
import {
  listTariffDifference,
  listTariffRows,
  listTariffSwitches,
  listTariffVersions,
} from '#tools/commands/tariff/tariff.ts'
import type { FixtureTable } from './fixture-table.ts'

/** Commands' output about items that no method reads: logs, tariff versions, suspense, intakes. */
export async function printedByCommands({ store, services }: FixtureTable): Promise<Record<string, string>> {
  const mediation = await openMediation(store, services.clock())
  const suspended = await listSuspendedRows(mediation, {})
  const shown: string[] = []
  for await (const { id } of suspended.rows) shown.push(...(await showSuspended(mediation, String(id))).lines)
  return {
    'account list': await csvOf(await listAccountRows(store)),
    'settings list': await csvOf(await listSettings(store)),
    'settings log': await csvOf(await listSettingsLogRows(store)),
    'tariff list': await csvOf(await listTariffRows(store)),
    'tariff versions 1': await csvOf(await listTariffVersions(store, '1')),
    'tariff log 1': await csvOf(await listTariffSwitches(store, '1')),
    'tariff diff 1': await csvOf(await listTariffDifference(store, '1')),
    'rerate log': await csvOf(await listReratingRows(store)),
    'intake list': await csvOf(await listIntakeRows(store)),
    'suspense list': await csvOf(await listSuspendedRows(mediation, {})),
    'suspense show': linesOf(shown),
    'pending dialog events': linesOf(
      (await Array.fromAsync(listPendingEvents(store))).map((event) => JSON.stringify(event)),
    ),
  }
}

const linesOf = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('')

const csvOf = (listing: Listing): Promise<string> => text(listingText(listing, 'csv'))
