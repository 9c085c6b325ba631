import type { APIGatewayProxyEvent } from 'aws-lambda'
import { readFresh } from '#lib/settings/recent-items.ts'
import type { Store } from '#lib/table/store.ts'
import { headerOf } from '../headers.ts'
import { readLoads } from '../loads.ts'
import type { Services } from '../method.ts'
import { requireState } from '../request-context.ts'
import { lambdaServices } from '../stack/lambda.ts'
import { logRequest } from '../stack/log-request.ts'
import { composeStack, type Handler } from '../stack/stack.ts'
import { limitCaller, settingsAndCaller, typedParameters } from '../stack/steps.ts'
import { createNameMemory, linksBy, type NameAccounts } from './account-names.ts'
import { refusalOf, unknownThing } from './refusals.ts'
import type { Operation, Resource } from './resource.ts'
import { rootOf } from './session-cookie.ts'
import {
  actionHeader,
  admitSession,
  jsonEnvelope,
  jsonResponse,
  sessionLoad,
  sessionParameters,
} from './steps.ts'

/** Serves the operations of a resource, each in a stack of its own. */
export function serveResource(resource: Resource, services: Services): Handler {
  const names = createNameMemory(services.clock)
  const handlers = new Map(
    resource.operations.map((one) => [
      nameOf(one.verb, one.path),
      serveOperation(resource, one, { ...services, names }),
    ]),
  )
  return async (event, context) => {
    const path = event.resource.replace('/console/api', '')
    const handler = handlers.get(nameOf(event.httpMethod, path))
    return handler ? handler(event, context) : unknownPath(event)
  }
}

const nameOf = (verb: string, path: string): string => `${verb} ${path}`

function unknownPath(event: APIGatewayProxyEvent) {
  const { code, message, status } = refusalOf(unknownThing('path', `${event.httpMethod} ${event.resource}`))
  return jsonResponse(event, status, { error: { code, message } })
}

/**
 * Composes the stack of the console's API from that of the signed one: the log, the settings and the typed
 * parameters are the same steps. A session replaces the signature, and JSON replaces XML.
 */
function serveOperation(
  { name, access }: Resource,
  one: Operation,
  given: Services & { readonly names: (store: Store) => NameAccounts },
): Handler {
  const services = { readItems: readFresh, ...given }
  const loads = { session: sessionLoad, ...one.loads }
  const runsAs = access === 'read' || one.verb === 'GET' ? 'read' : 'write'
  const steps = [
    logRequest({ name: `console_${name}`, access: runsAs, showsRefusals: true }, services),
    jsonEnvelope(),
    actionHeader(one),
    sessionParameters(one),
    limitCaller(services),
    settingsAndCaller({ loads, checksPassword: one.callers === 'anyone' }, services),
    admitSession(one, services.clock),
    typedParameters(one),
  ]
  return composeStack(steps, runsAs, async (requestState, _lostRaces, event) => {
    requireState(requestState, 'token', 'file')
    const { loaded, namedAccount, store } = requestState
    const { clock } = services
    const requestKey =
      headerOf(event, IDEMPOTENCY_HEADER) || requestState.raw?.[IDEMPOTENCY_HEADER] || undefined
    const nameAccounts = services.names(store)
    return one.run({
      ...requestState,
      namedAccount,
      get caller() {
        requireState(requestState, 'caller')
        return requestState.caller
      },
      clock,
      requestKey,
      loaded: readLoads(loads, loaded),
      nameAccounts,
      link: linksBy(nameAccounts),
      root: rootOf(event),
    })
  })
}

/** IETF, The Idempotency-Key HTTP Header Field (draft-ietf-httpapi-idempotency-key-header). */
const IDEMPOTENCY_HEADER = 'idempotency-key'

export const consoleLambda = (resource: Resource): Handler => serveResource(resource, lambdaServices())
