import { httpRefusal } from '#lib/api/errors.ts'
import { HEADERS_BELOW_METHODS } from '#lib/api/headers.ts'
import type { Services } from '#lib/api/method.ts'
import { requestIds } from '#lib/api/request-context.ts'
import { documentOfRefusal } from '#lib/api/response.ts'
import type { Handler } from '#lib/api/stack/stack.ts'
import { nearestNames } from '#lib/base/nearest.ts'
import { writeLogLine } from '#lib/table/log-line.ts'
import METHOD_NAMES from './method-names.json' with { type: 'json' }

/** The longest name that is compared with those of the methods. */
const MAX_NAME_LENGTH = 60

/** The sentence next to the error: the nearest method of the last word of the path. */
function suggestionFor(path: string): string {
  const name = path.split('/').filter(Boolean).at(-1) ?? ''
  const [nearest] = name.length > MAX_NAME_LENGTH ? [] : nearestNames(name, METHOD_NAMES)
  return nearest ? `Did you mean ${nearest}?` : 'Methods are at /api/<method>'
}

/** Answers every path that names no method, with any verb. It reads no setting, so it costs no round trip. */
export const notFound =
  ({ log }: Pick<Services, 'log'>): Handler =>
  async (event, context) => {
    const refusal = httpRefusal('unknown_method', suggestionFor(event.path))
    log({ method: 'not_found', outcome: 'refused', refusal: refusal.message, ...requestIds(event, context) })
    return {
      statusCode: refusal.status,
      headers: { ...HEADERS_BELOW_METHODS },
      body: documentOfRefusal(refusal),
    }
  }

export const handler = notFound({ log: writeLogLine })
