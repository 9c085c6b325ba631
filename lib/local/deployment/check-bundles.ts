import { Failure } from '#lib/local/failure.ts'
import { root } from '#lib/local/root.ts'
import { writeSourceMaps } from './bundles.ts'

/** Source maps of the functions, beside what is uploaded and no part of it. */
const SOURCE_MAPS = '.build/source-maps'

/** Builds every function for its size and its source map, and refuses one that weighs too much. */
export async function checkBundles(): Promise<void> {
  const bundles = await writeSourceMaps(root + SOURCE_MAPS)
  for (const { name, bytes } of bundles) {
    process.stdout.write(`${String(Math.round(bytes / 1000)).padStart(6)} KB  ${name}\n`)
  }
  process.stdout.write(`Source maps: ${SOURCE_MAPS}\n`)
  const tooLarge = bundles.filter(({ bytes, mostBytes }) => bytes > mostBytes)
  if (tooLarge.length > 0) throw new Failure(`Too large: ${tooLarge.map(({ name }) => name).join(', ')}.`)
}
