import { recordDataset } from '#lib/ingest/doors.ts'
import { namedKeyKeys } from '#lib/store/accounts/named-key.ts'
import { sessionKey } from '#lib/store/accounts/session.ts'
import { balanceKey } from '#lib/store/billing/balance-item.ts'
import { activeCallKeys } from '#lib/store/calls/active-call.ts'
import { archivedDayKey } from '#lib/store/calls/archived-day.ts'
import { callKeys } from '#lib/store/calls/call.ts'
import { callStatsKeys } from '#lib/store/calls/call-stats.ts'
import { busyNamesKey, dayGroupsKey } from '#lib/store/calls/day-groups.ts'
import { dialogEventKey } from '#lib/store/calls/dialog-event.ts'
import { identityKindKey } from '#lib/store/calls/identity-kind.ts'
import { linkedCallKey } from '#lib/store/calls/linked-call.ts'
import { localCallKeys } from '#lib/store/calls/local-call.ts'
import { queueLogKeys } from '#lib/store/calls/queue-log.ts'
import { suspenseKeys } from '#lib/store/calls/suspense.ts'
import { datasetKey } from '#lib/store/installation/dataset.ts'
import { failedImportsKey } from '#lib/store/installation/failed-import.ts'
import { intakeKeys } from '#lib/store/installation/intake.ts'
import { settingsKey } from '#lib/store/installation/settings.ts'
import { callerKey, type KeyForm, type ListName } from '#lib/store/keys.ts'

/** Partitions as patterns of IAM, where `*` stands for any text. */
type Patterns = readonly string[]

/** The pattern of the partitions of a form or list: all with the same name up to the first `#`. */
export const familyOf = ({ text }: Pick<KeyForm | ListName, 'text'>): string =>
  String([text].flat()[0]).replace(/#.*/, '#*')

/** Suspended CDRs, pending dialog events, names of linked calls and kinds of identities. They may also be written in batches, because no other item depends on them. */
export const asidePartitions: Patterns = [suspenseKeys.item, dialogEventKey, linkedCallKey, identityKindKey]
  .map(familyOf)
  .sort()

/** The items that the transaction of a record may write: calls and their counters, calls in progress, internal calls, the queue log, suspense. */
export const recordPartitions: Patterns = [
  ...new Set([
    ...[
      callKeys.ofSwitch,
      callStatsKeys.lists.everyone,
      balanceKey,
      activeCallKeys.item,
      localCallKeys.item,
      localCallKeys.lists.owner,
      queueLogKeys.item,
    ].map(familyOf),
    `${datasetKey(recordDataset('')).PK}*`,
    ...asidePartitions,
  ]),
].sort()

/** Both consumers of files keep the list of failed imports. */
export const failedImportPartitions: Patterns = [failedImportsKey.partition()]

/** The HTTP intake suspends CDR documents that are too large for a message of the queue. */
export const suspensePartitions: Patterns = [familyOf(suspenseKeys.item)]

/** The HTTP intake reads the digests of secrets and its suspended CDRs, and writes the counters of wrong secrets. */
export const intakePartitions: Patterns = [familyOf(intakeKeys.item), ...suspensePartitions]

export const intakeFailurePartitions: Patterns = [familyOf(intakeKeys.failures)]

/** Settings with their log, logins, sessions, keys and intakes: they decide who may do what. */
export const accessPartitions: Patterns = [
  settingsKey.PK,
  ...[callerKey, sessionKey, namedKeyKeys.item, intakeKeys.item].map(familyOf),
].sort()

/** The archive sets the time to live of calls, and notes archived days. */
export const archivedCallPartitions: Patterns = [familyOf(callKeys.ofSwitch)]

export const archivedDayPartitions: Patterns = [archivedDayKey.partition()]

/** The hourly sums of days by customer and by destination, and the names of their customers. */
export const dayGroupPartitions: Patterns = [busyNamesKey.partition(), familyOf(dayGroupsKey)]
