import { activeCallKeys, readStored } from '#lib/store/calls/active-call.ts'
import { id, integer, rowReader } from '#lib/store/columns.ts'
import { isSameKey, keyIn } from '#lib/store/keys.ts'
import { present, type Rule } from './statement.ts'

const readCopy = rowReader({ id, expires_at: integer() })
const readExpiry = rowReader({ expires_at: integer() })

/** A call in progress: every list that it names has its copy. The table removes both a while after they expire. */
export const activeCallRule: Rule = (item, { now }) => {
  if (readExpiry(item).expires_at <= now) return []
  return readStored(item).listed.map((key) =>
    present(key, `${keyIn(item).PK} is missing from the list ${key.PK}.`),
  )
}

/** The copy in a list: the call is there, and names the list. */
export const activeCopyRule: Rule = (item, { now }) => {
  const key = keyIn(item)
  const { id: callId, expires_at } = readCopy(item)
  if (expires_at <= now) return []
  return [
    {
      at: activeCallKeys.item(callId),
      finds: (call) => call !== undefined && readStored(call).listed.some((named) => isSameKey(named, key)),
      otherwise: `The list ${key.PK} shows call ${callId}, which is not in it.`,
    },
  ]
}
