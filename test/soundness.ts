import type { ArchiveBucket } from '#lib/calls/archive/bucket.ts'
import type { Item } from '#lib/table/items.ts'
import type { World } from '#test/world.ts'
import { findDamage } from '#tools/integrity/damage.ts'

/** The sentences of `npx tollgate check-data` about a world's table, or about these items of it. */
export async function damageIn(
  world: World & { readonly bucket?: ArchiveBucket },
  items?: readonly Item[],
): Promise<string[]> {
  return Array.fromAsync(findDamage(world.store, [items ?? (await world.dump())], world.now, world.bucket))
}
