import { invalid, invalidCharacters, notSupported } from '#lib/api/errors.ts'
import type { Contract } from '#lib/api/method.ts'
import type { ParameterType } from '#lib/api/parameters.ts'

/** Parameters that a method stores as text, checked by character and length (wire.md 4.3, 4.6). */
const storedParameters = ({ params }: Contract): string[] =>
  Object.keys(params).filter((name) => params[name]?.stored)

/** The parameters of which a method supports some values only (wire.md user_calls_get). */
const restrictedParameters = ({ params }: Contract): string[] =>
  Object.entries(params).flatMap(([name, type]) => (isRestricted(type) ? [name] : []))

/** No restricted parameter supports this value. */
const UNSUPPORTED = '?'

function isRestricted({ read }: ParameterType): boolean {
  try {
    read(UNSUPPORTED, '')
    return false
  } catch {
    return true
  }
}

/** Refusals that follow from the types of parameters, so that no contract lists them: code, message. */
export function valueRefusals(contract: Contract): (readonly [string, string])[] {
  const listed = Object.values(contract.errors)
  const stored = storedParameters(contract).flatMap((name) => [
    [`${name}_characters`, invalidCharacters(name).message] as const,
    [`${name}_too_long`, invalid(name).message] as const,
  ])
  const restricted = restrictedParameters(contract).map(
    (name) => [`${name}_unsupported`, notSupported(name).message] as const,
  )
  return [...stored, ...restricted].filter(([, message]) => !listed.includes(message))
}
