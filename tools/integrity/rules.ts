import { doneRequestKey } from '#lib/acts/act.ts'
import { deliveryKey } from '#lib/alerts/delivery.ts'
import { webhookKey } from '#lib/alerts/endpoint.ts'
import { alertKeys, outboxKey } from '#lib/alerts/event.ts'
import { countryHoursKey } from '#lib/calls/counters/country-hours.ts'
import { reratingKey } from '#lib/calls/rating/rerating-log.ts'
import { datasetKey } from '#lib/dataset/import/import.ts'
import { auditLogKey } from '#lib/settings/audit-log.ts'
import { failedImportsKey } from '#lib/settings/failed-import.ts'
import { settingsKey } from '#lib/settings/stored-settings.ts'
import { switchClockKey } from '#lib/settings/switch-clock.ts'
import { idCounterKey } from '#lib/table/id-counter.ts'
import type { Item } from '#lib/table/items.ts'
import { type KeyValues, keyIn } from '#lib/table/keys.ts'
import { raceKey } from '#lib/table/requests/running-again.ts'
import { migrationKey } from '../command-line/migration-progress.ts'
import { forgettingKey } from '../commands/forget/forgetting-log.ts'
import { localQueueKey } from '../server/local-queue.ts'
import { rulesOfAccounts } from './account-rules.ts'
import { rulesOfBilling } from './billing-rules.ts'
import { rulesOfCalls } from './call-rules.ts'
import { rulesOfCdrs } from './cdr-rules.ts'
import { rulesOfDevices } from './device-rules.ts'
import { declaredExpectations } from './entity-rules.ts'
import {
  alone,
  type Circumstances,
  type Expectation,
  type FormRule,
  type Rule,
  under,
} from './expectation.ts'
import { rulesOfVersions } from './version-rules.ts'

/** Returns the expectations of an item. An item that cannot be read, or has an unknown key, is wrong. */
export function expectationsOf(item: Item, circumstances: Circumstances): readonly Expectation[] {
  const { PK, SK } = keyIn(item)
  try {
    const declared = declaredExpectations(item, circumstances)
    const further = RULES.map((rule) => rule(item, circumstances)).filter((found) => found !== undefined)
    if (!declared && further.length === 0)
      return [{ wrong: `${PK} ${SK} is nothing that this version stores.` }]
    return [...(declared ?? []), ...further.flat()]
  } catch (error) {
    return [{ wrong: `${PK} ${SK} cannot be read: ${error instanceof Error ? error.message : error}.` }]
  }
}

const idCounterRule: Rule<KeyValues<typeof idCounterKey>> = ({ last }, _circumstances, { of }) => [
  { ids: of, reached: Number(last ?? 0) },
]

/** Rules beyond the declarations of entities, by subject. */
const RULES: readonly FormRule[] = [
  ...alone(
    settingsKey,
    auditLogKey,
    doneRequestKey,
    failedImportsKey,
    datasetKey,
    raceKey,
    switchClockKey,
    countryHoursKey,
  ),
  ...alone(migrationKey, reratingKey, forgettingKey),
  ...alone(webhookKey, deliveryKey, outboxKey, alertKeys.item, localQueueKey),
  under(idCounterKey, idCounterRule),
  ...rulesOfAccounts,
  ...rulesOfBilling,
  ...rulesOfCalls,
  ...rulesOfCdrs,
  ...rulesOfDevices,
  ...rulesOfVersions,
]
