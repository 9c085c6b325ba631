import type { SessionAnswer } from '#lib/api/console/answers/session.ts'

/** A part of the console, as the sidebar names it. */
export interface ConsolePart {
  readonly name: string
  readonly title: string
  readonly group: 'business' | 'developers'
}

const business = (name: string, title: string): ConsolePart => ({ name, title, group: 'business' })
const developers = (name: string, title: string): ConsolePart => ({ name, title, group: 'developers' })

const PARTS: readonly ConsolePart[] = [
  business('overview', 'Overview'),
  business('customers', 'Customers'),
  business('calls', 'Calls'),
  business('suspense', 'Suspense'),
  business('imports', 'Imports'),
  business('tariffs', 'Tariffs'),
  business('billing', 'Billing'),
  business('reports', 'Reports'),
  business('settings', 'Settings'),
  developers('explorer', 'Explorer'),
  developers('doctor', 'Doctor'),
  developers('keys', 'Keys'),
  developers('webhooks', 'Webhooks'),
]

/** The tools of developers are for everybody who has a key. */
const FOR_ALL = ['explorer', 'doctor']

/** The parts that an account may use; the others are not shown. */
export const partsFor = ({ parts }: Pick<SessionAnswer, 'parts'>): readonly ConsolePart[] =>
  PARTS.filter(({ name }) => FOR_ALL.includes(name) || parts.some((one) => one === name))

export const titleOfPart = (name: string): string => PARTS.find((part) => part.name === name)?.title ?? ''
