import { dialogEventKey, keyOfDialogEvent, readPending } from '#lib/cdrs/dialogs/dialog-event.ts'
import { eventPartsOf, pendingOf } from '#lib/cdrs/dialogs/dialog-parts.ts'
import { isFormat } from '#lib/cdrs/formats/formats.ts'
import { halfLineKey } from '#lib/cdrs/matching/half-lines.ts'
import { identityKindKey } from '#lib/cdrs/matching/identity-kinds.ts'
import { linkedCallKey } from '#lib/cdrs/matching/linked-cdrs.ts'
import { loopbackLegKey } from '#lib/cdrs/matching/loopback.ts'
import { readSuspended, suspenseKeys } from '#lib/cdrs/suspense/suspense.ts'
import { intakeKeys, readIntake } from '#lib/settings/intake.ts'
import { keyIn } from '#lib/table/keys.ts'
import { alone, expectItem, type FormRule, type Rule, readable, under } from './expectation.ts'

/** A suspended CDR is readable, with all parts of its text. A settled one only waits for removal. */
const suspenseRule: Rule = (item) => {
  const { id, packed, parts, object, is_settled } = readSuspended(item)
  if (is_settled || packed || object !== undefined) return []
  if (!parts) return [{ wrong: `The suspended CDR ${id} has no text: drop it.` }]
  return Array.from({ length: parts.count }, (_, part) =>
    expectItem(
      suspenseKeys.part(id, parts.digest, part),
      `The suspended CDR ${id} has lost a part of its text: drop it.`,
    ),
  )
}

/** A pending dialog event can be read, and its text is the event that its columns and its key name. */
const pendingEventRule: Rule = (item) => {
  const event = readPending(item)
  if (!isFormat(event.format)) return []
  const { PK, SK } = keyIn(item)
  const own = keyOfDialogEvent(event)
  const isOfKey =
    own.PK === PK &&
    own.SK === SK &&
    eventPartsOf(event)
      .map(pendingOf)
      .some(({ dialog, place }) => dialog === event.dialog && place === event.place)
  return isOfKey ? [] : [{ wrong: `${PK} ${SK} holds no event of its dialog, so it is never correlated.` }]
}

export const rulesOfCdrs: readonly FormRule[] = [
  ...alone(
    suspenseKeys.part,
    linkedCallKey,
    loopbackLegKey,
    identityKindKey,
    halfLineKey,
    intakeKeys.failures,
  ),
  under(suspenseKeys.item, suspenseRule),
  under(dialogEventKey, pendingEventRule),
  under(intakeKeys.item, readable(readIntake)),
]
