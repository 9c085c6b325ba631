import { readFileSync } from 'node:fs'
import { parse } from 'yaml'
import type { FileName } from '#lib/dataset/import/files.ts'

type Row = Readonly<Record<string, string>>

/** The rows of a YAML file of this folder, by the files of a dataset. Every value is text. */
export const rowsIn = <F extends FileName>(name: string): Readonly<Record<F, readonly Row[]>> =>
  parse(readFileSync(new URL(`${name}.yml`, import.meta.url), 'utf8'), { schema: 'failsafe' })
