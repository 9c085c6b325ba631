import type { Entity } from '#lib/table/entity.ts'
import type { Item } from '#lib/table/items.ts'
import type { KeyForm } from '#lib/table/keys.ts'
import { countOf } from '#tools/machine/terminal.ts'

/** A row of an entity. */
interface EntityRow {
  readonly entity: Entity
  readonly row: Item
}

export type Uses = ReturnType<typeof createUses>

/** Counts how many rows name each row of a table. */
export function createUses() {
  const counts = new Map<string, number>()
  const add = (names: KeyForm, id: unknown, by = 1): void => {
    if (id === undefined) return
    const name = nameOf(names, id)
    counts.set(name, (counts.get(name) ?? 0) + by)
  }
  const addAll = ({ key, requires }: Entity, row: Item, by: number): void => {
    for (const { column, names, mayGo } of requires)
      if (!mayGo && !(names === key && row[column] === row['id'])) add(names, row[column], by)
  }
  const countFor = ({ entity: { key, pointer }, row }: EntityRow): number =>
    [key, pointer].reduce(
      (sum, form) => sum + (form ? (counts.get(nameOf(form, row[form.names[0] ?? ''])) ?? 0) : 0),
      0,
    )
  return {
    add,
    /** Counts what a row names, except itself. */
    addNamed: (entity: Entity, row: Item): void => addAll(entity, row, 1),
    removeNamed: (entity: Entity, row: Item): void => addAll(entity, row, -1),
    isUsed: (row: EntityRow): boolean => countFor(row) > 0,
    reason: (row: EntityRow): string => `${countOf(countFor(row), 'reference')} to it`,
  }
}

const nameOf = ({ text }: KeyForm, id: unknown): string => `${text.join(' ')} ${id}`
