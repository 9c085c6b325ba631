import type { GivenTexts } from '#lib/acts/inputs.ts'
import { actOperation, carryOutHere, contextHere } from '#lib/api/console/act-operation.ts'
import type { WrittenRecordAnswer } from '#lib/api/console/answers/customers.ts'
import { unknownThing } from '#lib/api/console/refusals.ts'
import { type ConsoleRequest, defineResource, operation } from '#lib/api/console/resource.ts'
import { consoleLambda } from '#lib/api/console/stack.ts'
import { plainText, sentText } from '#lib/api/console/values.ts'
import { BILLED, MANAGERS, OWNERS } from '#lib/base/account-types.ts'
import { seesEveryone } from '#lib/base/scope.ts'
import { recordActs } from '#lib/dataset/records/record-acts.ts'
import type { RecordField } from '#lib/dataset/records/record-fields.ts'
import { valuesOf } from '#lib/dataset/records/record-inputs.ts'
import { type RecordContext, type RecordKind, recordContext } from '#lib/dataset/records/record-kind.ts'
import { isKindName, type KindName, kindNamed } from '#lib/dataset/records/record-kinds.ts'
import { listRecords, readRecord } from '#lib/dataset/records/record-reading.ts'
import { ownDetailsOf, setOwnDetails } from '#lib/dataset/records/set-own-details.ts'
import { setRate } from '#lib/dataset/records/set-rate.ts'

const inPath = { kind: sentText, id: sentText }

/** An accountant reads. */
const callers = OWNERS

const contextIn = (request: ConsoleRequest): RecordContext => ({
  ...recordContext(contextHere(request)),
  nameAccounts: request.nameAccounts,
})

type RecordRequest = ConsoleRequest<{ kind: typeof sentText }>

export const resource = defineResource({
  name: 'records',
  access: 'records',
  operations: [
    operation('GET', '/records/{kind}', {
      summary:
        'The fields of a kind, and up to 100 of its records by id: accounts and services of an owner, devices of an account, rules of a device or location, in `of`; with the names of what the columns in `named` name.',
      callers: MANAGERS,
      params: { kind: sentText, of: plainText, after: plainText, named: plainText },
      run: async (request) => {
        const { params } = request
        const kind = kindOf(request)
        const wish = { ...params, named: params.named?.split(',') }
        const found = await listRecords(contextIn(request), kind, wish)
        return { kind, ...found, fields: found.fields.map(fieldRow), may: allowed(request, kind) }
      },
    }),
    operation('GET', '/records/{kind}/{id}', {
      summary: 'A record, its fields, and the names of the records that it names. Secrets are masked.',
      callers: MANAGERS,
      params: inPath,
      run: async (request) => {
        const kind = kindOf(request)
        const found = await readRecord(contextIn(request), kind, request.params.id)
        return { kind, ...found, fields: found.fields.map(fieldRow), may: allowed(request, kind) }
      },
    }),
    operation('POST', '/records/{kind}', {
      summary: 'Adds a record of the given columns, by the checks of an import, and logs it.',
      callers,
      params: { kind: sentText },
      run: (request) => carryOutOn(request, 'add'),
    }),
    operation('PUT', '/records/{kind}/{id}', {
      summary: 'Changes the given columns of a record, and logs it. A masked secret stays.',
      callers,
      params: inPath,
      run: (request) => carryOutOn(request, 'change'),
    }),
    operation('DELETE', '/records/{kind}/{id}', {
      summary: 'Removes a device, or a rule of a device or location, and logs it.',
      callers,
      params: inPath,
      run: (request) => carryOutOn(request, 'remove', { yes: 'yes' }),
    }),
    operation('GET', '/own/details', {
      summary:
        'The details that an account may change of itself, as the settings are shown; a seller reads its VAT number and country, too; thresholds of alerts only if mails to the customer are all that they decide.',
      callers: BILLED,
      run: async (request) => {
        const fields = await ownDetailsOf(contextHere(request))
        return {
          settings: fields.map(({ value, mayChange, ...field }) => ({
            ...fieldRow(field),
            ...{ value, group: groupOfOwn(field.name), mayChange },
          })),
          log: [],
        }
      },
    }),
    actOperation('PUT', '/own/details', setOwnDetails, {
      show: ({ raw: { password: _, ...given } }) => ({ values: valuesOf(given), warning: null }),
    }),
    actOperation('POST', '/tariffs/{id}/rates', setRate, {
      show: (_request, { id, ...set }, { remarks = [] }) => ({ id: `${id}`, ...set, remarks: [...remarks] }),
    }),
  ],
})

export const handler = consoleLambda(resource)

/** An email is saved by itself, because it needs the password. */
function groupOfOwn(name: string): string {
  if (name === 'email' || name === 'password') return 'Email'
  return name.endsWith('_number_format') ? 'Numbers' : 'Company and brand'
}

/** Refuses a kind that the account may not see in the words of a missing one. */
function kindOf({ params, caller }: RecordRequest): KindName {
  const { kind } = params
  if (isKindName(kind) && (seesEveryone(caller) || kindNamed(kind).limited)) return kind
  throw unknownThing('kind of records', kind)
}

function allowed({ caller }: RecordRequest, name: KindName): ('add' | 'change' | 'remove')[] {
  const kind: RecordKind = kindNamed(name)
  if (caller.usertype === 'accountant' || (caller.usertype !== 'admin' && kind.limited === 'read')) return []
  return kind.remove ? ['add', 'change', 'remove'] : ['add', 'change']
}

/** The columns of the kind are parameters, and so are those of the path. The page asks before it removes. */
async function carryOutOn(
  request: RecordRequest,
  verb: 'add' | 'change' | 'remove',
  agreed: GivenTexts = {},
): Promise<WrittenRecordAnswer> {
  const { kind } = request.params
  const { kind: _, ...given } = request.raw
  if (!isKindName(kind)) throw unknownThing('kind of records', kind)
  const act = recordActs(kind)[verb]
  const { answer } = await carryOutHere(request, act, { ...given, ...agreed })
  return answer
}

const fieldRow = ({ of, says, blank, ...field }: RecordField) => ({
  ...field,
  choices: [...field.choices],
  of: of ?? null,
  says: says || null,
  blank: blank || null,
})
