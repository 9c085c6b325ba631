import type { Item } from '#lib/store/items.ts'
import type { World } from '#test/world.ts'
import { findDamage } from '#tools/integrity/damage.ts'

/** The sentences of `npx tollgate check-data` about a world's table, or about these items of it. */
export async function damageIn(world: World, items?: readonly Item[]): Promise<string[]> {
  const sentences: string[] = []
  const pages = [items ?? (await world.dump())]
  for await (const sentence of findDamage(world.store, pages, world.now)) sentences.push(sentence)
  return sentences
}
