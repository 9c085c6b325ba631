import { settingsOf } from '#lib/settings/stored-settings.ts'
import { invocation, type TimeLeft } from '#lib/table/invocation.ts'
import { lambdaTableServices, type TableServices } from '#lib/table/store.ts'
import { type ArchiveBucket, archiveBucketOf } from './bucket.ts'
import { openCallArchive } from './call-archive.ts'
import { type DayOutcome, runArchive } from './run.ts'

export interface ArchiveServices extends TableServices {
  readonly bucket: ArchiveBucket
}

export function lambdaArchiveServices(): ArchiveServices {
  const bucket = archiveBucketOf(process.env)
  if (!bucket) throw new Error('ARCHIVE_BUCKET names no bucket')
  return { ...lambdaTableServices(openCallArchive(bucket)), bucket }
}

const NAME = 'archive_calls'

/** Archives once. It writes a line of the log for each day, and ends with an error if a day was refused. */
export const archiver =
  ({ bucket, ...services }: ArchiveServices) =>
  async (_event: unknown, context: TimeLeft): Promise<void> => {
    const { clock, log } = services
    const hasTime = (ms: number) => context.getRemainingTimeInMillis() >= ms
    const outcomes: DayOutcome[] = []
    await invocation(services, NAME, async ({ store }) => {
      const settings = await settingsOf(store)
      for await (const outcome of runArchive({ store, bucket, settings, clock }, hasTime)) {
        log({ function: NAME, ...fieldsOf(outcome) })
        outcomes.push(outcome)
      }
      return {
        outcome: settings.Calls_Keep_Days === undefined ? 'off' : 'archived',
        days: outcomes.length,
      }
    })
    const reasons = outcomes.flatMap((one) => (one.outcome === 'refused' ? one.reasons : []))
    if (reasons.length > 0) throw new Error(reasons.join('; '))
  }

const fieldsOf = (outcome: DayOutcome): object =>
  'manifest' in outcome
    ? {
        day: outcome.day,
        outcome: outcome.outcome,
        calls: outcome.manifest.everyone.calls,
        version: outcome.manifest.version,
      }
    : outcome
