import { hoursSince, secondsOf } from '#lib/domain/calendar.ts'
import { findDamage } from '#lib/integrity/damage.ts'
import { suspenseKeys } from '#lib/store/calls/suspense.ts'
import type { Item } from '#lib/store/items.ts'
import type { Store } from '#lib/store/store.ts'
import type { TableLocation } from '#lib/store/table.ts'
import { itemsOf } from './aws-account.ts'

const SOUND = 0
const DAMAGED = 1

/** Says what is wrong with a table's data, and how much it has looked at; answers the exit code. */
export async function checkData(store: Store, location: TableLocation): Promise<number> {
  const [now, looked] = [new Date(), { items: 0, suspended: 0, oldest: Number.POSITIVE_INFINITY }]
  let damaged = 0
  for await (const sentence of findDamage(store, counted(itemsOf(location), looked), now)) {
    damaged += 1
    process.stdout.write(`${sentence}\n`)
  }
  if (looked.suspended > 0) process.stdout.write(`${suspenseIn(looked, now)}\n`)
  process.stdout.write(
    `${looked.items} items: ${damaged === 0 ? 'all is well' : `${damaged} ${damaged === 1 ? 'thing is' : 'things are'} wrong`}\n`,
  )
  return damaged === 0 ? SOUND : DAMAGED
}

interface Looked {
  items: number
  suspended: number
  /** Unix seconds of when the oldest suspended CDR came first. */
  oldest: number
}

async function* counted(pages: AsyncIterable<Item[]>, looked: Looked): AsyncGenerator<Item[]> {
  for await (const page of pages) {
    looked.items += page.length
    for (const { SK, first_seen } of page) {
      if (SK !== suspenseKeys.item('').SK) continue
      looked.suspended += 1
      looked.oldest = Math.min(looked.oldest, Number(first_seen))
    }
    yield page
  }
}

/** CDRs in suspense are no damage, but money that waits for somebody. */
function suspenseIn({ suspended, oldest }: Looked, now: Date): string {
  const hours = hoursSince(oldest, secondsOf(now))
  const cdrs = suspended === 1 ? '1 CDR is' : `${suspended} CDRs are`
  return `${cdrs} suspended, the oldest for ${hours} hours: npm run suspense -- list`
}
