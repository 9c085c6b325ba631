/** What requests are signed with. */
export interface Credentials {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken?: string
}

/** Whose services are asked, and where. Credentials may change while a program runs; they are asked for each time. */
export interface Account {
  readonly region: string
  credentials(): Credentials | Promise<Credentials>
}

/** The account a Lambda runs in, as the runtime names it in its environment. */
export const runtimeAccount = ({
  AWS_REGION: region = '',
  AWS_ACCESS_KEY_ID: accessKeyId = '',
  AWS_SECRET_ACCESS_KEY: secretAccessKey = '',
  AWS_SESSION_TOKEN: sessionToken,
}: NodeJS.ProcessEnv): Account => ({
  region,
  credentials: () => ({ accessKeyId, secretAccessKey, ...(sessionToken && { sessionToken }) }),
})

/** Partitions of AWS that have a domain of their own, by the beginning of their regions. */
const DOMAINS: Readonly<Record<string, string>> = { 'cn-': 'amazonaws.com.cn', 'eusc-': 'amazonaws.eu' }

/** The domain of a region's services. */
export function domainOf(region: string): string {
  const [, domain = 'amazonaws.com'] =
    Object.entries(DOMAINS).find(([prefix]) => region.startsWith(prefix)) ?? []
  return `${region}.${domain}`
}
