import * as v from 'valibot'
import { DAY_SECONDS, type Seconds } from '#lib/base/calendar.ts'
import { keyForm } from '#lib/table/keys.ts'
import { findForEach } from '#lib/table/requests/query.ts'
import type { Store } from '#lib/table/store.ts'

// Keys

/** The legs of calls through FreeSWITCH's loopback, under each unique id that they name. */
export const loopbackLegKey = keyForm('LOOPBACK#<source>#<id>', '<leg>')

/** A leg as the table keeps it: `cdr` is JSON. */
interface NotedLeg {
  readonly source: string
  readonly ids: readonly string[]
  readonly leg: string
  readonly cdr: string
}

// Shape

const schema = v.object({ cdr: v.string() })

/** A CDR that is suspended meanwhile finds the other legs of its call. */
const KEPT_SECONDS = 30 * DAY_SECONDS

// Access patterns

export const putLoopbackLegs = (store: Store, legs: readonly NotedLeg[], now: Seconds): Promise<void> =>
  store.putBatch(
    legs.flatMap(({ source, ids, leg, cdr }) =>
      ids.map((id) => ({ ...loopbackLegKey(source, id, leg), cdr, expires_at: now + KEPT_SECONDS })),
    ),
  )

/** The texts of the legs that name one of these ids. A leg may come several times. */
export async function listLoopbackLegs(
  store: Store,
  source: string,
  ids: ReadonlySet<string>,
): Promise<string[]> {
  const listed = await findForEach(ids, (id) => store.list(loopbackLegKey.range(source, id)))
  return listed.flat().map((item) => v.parse(schema, item).cdr)
}
