import { activeCallKeys } from '#lib/store/calls/active-call.ts'
import { callKeys } from '#lib/store/calls/call.ts'
import { callStatsKeys } from '#lib/store/calls/call-stats.ts'
import { dayListKeys } from '#lib/store/calls/day-list.ts'
import { dialogEventKeys } from '#lib/store/calls/dialog-event.ts'
import { localCallKeys } from '#lib/store/calls/local-call.ts'
import { queueLogKeys } from '#lib/store/calls/queue-log.ts'
import { suspenseKeys } from '#lib/store/calls/suspense.ts'
import { datasetKey } from '#lib/store/installation/dataset.ts'
import { intakeKeys } from '#lib/store/installation/intake.ts'
import { settingsKey } from '#lib/store/installation/settings.ts'
import { callerKey } from '#lib/store/keys.ts'

/** Partitions as patterns of IAM, where `*` stands for any text. */
type Patterns = readonly string[]

/** The pattern of all partitions with the same name up to the first `#`. */
const family = (partition: string): string => partition.replace(/#.*/, '#*')

const SCOPES = [{ user: 0 }, { owner: 0 }] as const

const daysOf = (list: string): Patterns => [dayListKeys.of(list, ''), dayListKeys.counters(list)]

/** The name of a dataset in files of senders. The prefix keeps its relative dates apart from those of an operator's files. */
export const recordDataset = (name: string): string => `records/${name}`

/** Suspended CDRs and pending dialog events. They may also be written in batches, because no other item depends on them. */
export const asidePartitions: Patterns = [
  ...new Set([suspenseKeys.item('').PK, ...dialogEventKeys.partitions].map(family)),
].sort()

/** The items that the transaction of a record may write: calls and their counters, calls in progress, internal calls, the queue log, suspense. */
export const recordPartitions: Patterns = [
  ...new Set([
    ...[
      callKeys.ofId(''),
      ...[...SCOPES, 'everyone' as const].map(callStatsKeys.of),
      activeCallKeys.item(0).PK,
      localCallKeys.item('').PK,
      ...SCOPES.flatMap((scope) => daysOf(localCallKeys.of(scope))),
      queueLogKeys.item(0).PK,
      ...daysOf(queueLogKeys.all),
    ].map(family),
    `${datasetKey(recordDataset('')).PK}*`,
    ...asidePartitions,
  ]),
].sort()

/** The HTTP intake suspends CDR documents that are too large for a message of the queue. */
export const suspensePartitions: Patterns = [family(suspenseKeys.item('').PK)]

/** The HTTP intake reads the digests of secrets and its suspended CDRs, and writes the counters of wrong secrets. */
export const intakePartitions: Patterns = [family(intakeKeys.item('').PK), ...suspensePartitions]
export const intakeFailurePartitions: Patterns = [family(intakeKeys.failures('', 0).PK)]

/** Settings with their log, logins and intakes: they decide who may do what. */
export const accessPartitions: Patterns = [
  settingsKey.PK,
  ...[callerKey('').PK, intakeKeys.item('').PK].map(family),
].sort()
