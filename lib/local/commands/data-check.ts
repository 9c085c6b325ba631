import { damageOf } from '#lib/integrity/damage.ts'
import type { Store } from '#lib/store/store.ts'
import type { TableLocation } from '#lib/store/table-location.ts'
import { itemsOf } from './aws-account.ts'

const SOUND = 0
const DAMAGED = 1

/** Says what is wrong with a table's data, and how much it has looked at; answers the exit code. */
export async function checkData(store: Store, location: TableLocation): Promise<number> {
  const looked = { items: 0 }
  let damaged = 0
  for await (const sentence of damageOf(store, counted(itemsOf(location), looked), new Date())) {
    damaged += 1
    process.stdout.write(`${sentence}\n`)
  }
  process.stdout.write(
    `${looked.items} items: ${damaged === 0 ? 'all is well' : `${damaged} ${damaged === 1 ? 'thing is' : 'things are'} wrong`}\n`,
  )
  return damaged === 0 ? SOUND : DAMAGED
}

async function* counted<T>(pages: AsyncIterable<T[]>, looked: { items: number }): AsyncGenerator<T[]> {
  for await (const page of pages) {
    looked.items += page.length
    yield page
  }
}
