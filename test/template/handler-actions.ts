import { readFileSync } from 'node:fs'
import { parse } from 'yaml'
import { root } from '#tools/machine/program.ts'

/** A resource has no tags yet while it is created; the request that creates it has. */
export type Moment = 'create' | 'later'

/** The calls of CloudFormation with the rights of the deployer. */
export interface HandlerCall {
  readonly action: string
  readonly moment: Moment
}

/** Names of actions, divided by blanks, by service. */
type Actions = Readonly<Record<string, string>>

const HANDLERS: Readonly<Record<string, Readonly<Record<Moment, Actions>>>> = parse(
  readFileSync(`${root}test/template/handler-actions.yml`, 'utf8'),
)

/** The calls for a resource of this type, from test/template/handler-actions.yml. */
export function handlerCalls(type: string): HandlerCall[] {
  const handlers = HANDLERS[type]
  if (!handlers)
    throw new Error(`test/template/handler-actions.yml lacks ${type}: add what its handlers call`)
  return (['create', 'later'] as const).flatMap((moment) =>
    actionsIn(handlers[moment]).map((action) => ({ action, moment })),
  )
}

const actionsIn = (actions: Actions): string[] =>
  Object.entries(actions).flatMap(([service, names]) =>
    names.split(/\s+/).map((name) => `${service}:${name}`),
  )

/** The tags of the stack, which CloudFormation gives to every resource that takes tags. */
export function stackTags(stage: string): Readonly<Record<string, string>> {
  const { service, provider } = parse(readFileSync(`${root}serverless.yml`, 'utf8'))
  const values: Readonly<Record<string, string>> = { [`\${self:service}`]: service, [`\${sls:stage}`]: stage }
  return Object.fromEntries(
    Object.entries<string>(provider.stackTags).map(([tag, value]) => [tag, values[value] ?? value]),
  )
}
