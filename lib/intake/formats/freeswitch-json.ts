import { clockOf } from '#lib/intake/clock.ts'
import { isObject, type JsonObject, readObjects } from '#lib/intake/json-objects.ts'
import { percentDecoded } from '#lib/intake/percent.ts'
import { DocumentRefused, type ReadFormat } from '#lib/intake/record.ts'
import { type Field, textOf } from '#lib/intake/texts.ts'
import { callOfLeg, type Leg } from './freeswitch.ts'

/**
 * What FreeSWITCH's mod_json_cdr posts or writes for each leg of a call (mod_json_cdr.c, switch_ivr_generate_json_cdr in
 * switch_ivr.c). The leg that was dialled for another one (it has an `originator`) is not billed a second time.
 */
export const freeswitchJson: ReadFormat = (document, { zone }) => {
  const clock = clockOf(zone)

  return readObjects(document, (object) => {
    const { variables, callflow } = object
    if (!isObject(variables) || !Array.isArray(callflow)) {
      throw new DocumentRefused('not of its format', 'it has no variables and no callflow')
    }
    const profiles = callflow.map(profileIn)
    if (profiles[0]?.['originator'] !== undefined) return undefined
    return { kind: 'call', call: callOfLeg(legOf(variables, profiles), clock) }
  })
}

/** The callflow begins with the newest profile: what was dialled at first stands in the last one. */
const legOf = (variables: JsonObject, profiles: readonly JsonObject[]): Leg => ({
  variable: variableOf(variables),
  caller: (name) => textOf(profiles.at(-1)?.[name]),
})

function profileIn(flow: unknown): JsonObject {
  const profile = isObject(flow) ? flow['caller_profile'] : undefined
  return isObject(profile) ? profile : {}
}

/**
 * Values are percent-encoded unless `encode-values` is false. Which of the two it is shows in a value that always has a
 * space: the local time of the start.
 */
function variableOf(variables: JsonObject): Field {
  const plain: Field = (name) => textOf(variables[name])
  return plain('start_stamp').includes('%20') ? (name) => percentDecoded(plain(name)) : plain
}
