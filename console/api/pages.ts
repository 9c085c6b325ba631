import { type QueryValues, read } from './console-api.ts'

/** The pages of a list of the console's API, one after the other, until the last one. */
export async function* answerPages<T extends { readonly next: string | null }>(
  path: string,
  query: QueryValues,
): AsyncGenerator<T> {
  for (let after: string | undefined; ; ) {
    const page = await read<T>(path, { ...query, after })
    yield page
    if (page.next === null) return
    after = page.next
  }
}
