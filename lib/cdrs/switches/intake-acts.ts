import { defineAct } from '#lib/acts/act.ts'
import { type Input, inputOf, optionalInput, secretInput, switchInput } from '#lib/acts/inputs.ts'
import { hexDigest } from '#lib/base/digest.ts'
import { nearestNames } from '#lib/base/nearest.ts'
import { Refusal } from '#lib/base/refusal.ts'
import {
  findIntake,
  type Intake,
  intakeAdded,
  intakeRemoved,
  isIntakeSecret,
  listIntakes,
  newIntakeSecret,
} from '#lib/settings/intake.ts'
import type { Store } from '#lib/table/store.ts'
import { isSourceName } from '../formats/cdr.ts'
import { sourcesWithoutIds } from '../matching/identity-kinds.ts'
import { switchInputs, switchWritesAs } from './switch-writing.ts'

declare module '#lib/base/refusal.ts' {
  interface Refusals {
    readonly intake_exists: { readonly intake: string }
    readonly second_source: { readonly intake: string; readonly sources: readonly string[] }
  }
}

/**
 * Adds an intake, so that a switch can send CDRs by HTTP. With the secret of another installation, which no
 * export has, the switch changes its address and nothing else.
 */
export const addIntake = defineAct({
  summary: 'Add a switch that sends CDRs over HTTP, and show its secret once',
  callers: ['admin'],
  input: {
    name: inputOf('name of at most 40 letters, digits, - and _', 'NAME', (text) =>
      isSourceName(text) ? text : undefined,
    )('the name of the switch, which is part of the identity of its calls'),
    ...switchInputs,
    secret: optionalInput(
      secretInput(
        'the secret that the switch has at another installation, and keeps',
        '32 letters and digits',
        isIntakeSecret,
      ),
    ),
    yes: switchInput('add it although another switch sends CDRs without a unique id'),
  },
  run: async ({ store, now }, { name, secret: kept, yes, ...values }) => {
    const secret = kept ?? newIntakeSecret()
    if (await findIntake(store, name)) throw new Refusal('intake_exists', { intake: name }, 'name')
    const writes = switchWritesAs(values)
    const hasIds = writes.mapping?.['uniqueid'] || writes.columns?.includes('uniqueid')
    if (!yes && !hasIds) await refuseSecondSource(store, name)
    const intake: Intake = {
      name,
      secret_sha256: hexDigest(secret),
      ...writes,
      added_at: now.toISOString(),
    }
    return {
      changes: [intakeAdded(intake)],
      answer: { name },
      secret: kept === undefined ? { name, text: secret } : undefined,
      log: { action: `added the intake ${name}` },
    }
  },
})

/** A call without a unique id from two sources is suspended: only the operator knows what is one switch. */
export async function refuseSecondSource(store: Store, name: string): Promise<void> {
  const others = (await listIntakes(store)).map((intake) => intake.name)
  if (others.includes(name)) return
  const sources = (await sourcesWithoutIds(store, others)).filter((source) => source !== name)
  if (sources.length > 0) throw new Refusal('second_source', { intake: name, sources }, 'name')
}

const intakeInput = (says: string): Input<Intake> => ({
  takes: 'name of a switch',
  placeholder: 'NAME',
  says,
  isOptional: false,
  read: async (given, name, { store }) => {
    const found = isSourceName(given) ? await findIntake(store, given) : undefined
    if (found) return found
    const names = (await listIntakes(store)).map((intake) => intake.name)
    throw new Refusal(
      'unknown_name',
      { noun: 'intake', name: given, nearest: nearestNames(given, names) },
      name,
    )
  },
})

export const revokeIntake = defineAct({
  summary: 'Refuse a switch from now on; its calls are kept',
  callers: ['admin'],
  input: { name: intakeInput('the name of the switch') },
  run: async (_context, { name: { name } }) => ({
    changes: [intakeRemoved(name)],
    answer: { name },
    log: { action: `revoked the intake ${name}` },
  }),
})
