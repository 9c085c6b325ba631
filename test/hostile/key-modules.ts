import { readdirSync, readFileSync } from 'node:fs'
import type { KeyForm } from '#lib/table/keys.ts'
import { root } from '#tools/machine/program.ts'

/** The exports of all files that declare keys of the table. */
export function keyModules(): Promise<readonly object[]> {
  const files = ['lib', 'tools'].flatMap((folder) =>
    readdirSync(root + folder, { recursive: true, encoding: 'utf8' }).map(
      (file) => `${root}${folder}/${file}`,
    ),
  )
  const sources = files.filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'))
  return Promise.all(
    sources
      .filter((path) => /= (keyForm|listName)\(|: keyForm\(/.test(readFileSync(path, 'utf8')))
      .map((path) => import(path)),
  )
}

export const isKeyForm = (value: unknown): value is KeyForm => typeof value === 'function' && 'range' in value
