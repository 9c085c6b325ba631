import type { ArchiveBucket } from '#lib/archive/bucket.ts'
import type { Item } from '#lib/store/items.ts'
import type { World } from '#test/world.ts'
import { findDamage } from '#tools/integrity/damage.ts'

/** The sentences of `npx tollgate check-data` about a world's table, or about these items of it. */
export async function damageIn(
  world: World & { readonly bucket?: ArchiveBucket },
  items?: readonly Item[],
): Promise<string[]> {
  const sentences: string[] = []
  const pages = [items ?? (await world.dump())]
  const found = findDamage(world.store, pages, world.now, world.bucket)
  for await (const sentence of found) sentences.push(sentence)
  return sentences
}
