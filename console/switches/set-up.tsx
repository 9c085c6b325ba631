import { useEffect, useId, useState } from 'preact/hooks'
import asterisk from '../../docs/adapters/asterisk-cdrs.conf'
import freeswitch from '../../docs/adapters/freeswitch-cdrs.xml'
import kamailio from '../../docs/adapters/kamailio-cdrs.cfg'
import { useQuery } from '../api/use-query.ts'
import { linkToRoute } from '../base/route.ts'
import { Code } from '../ui/code.tsx'
import { CopyButton } from '../ui/copy-button.tsx'
import { Notice } from '../ui/notice.tsx'
import { TabList, TabPanel } from '../ui/tabs.tsx'
import { fileOfSwitch, type KnownSwitch } from './file-of-switch.ts'

const FILES = {
  asterisk,
  freeswitch,
  kamailio,
  other: "curl -u 'pbx1:SECRET' --data-binary @cdrs.csv http://localhost:3000/intake/csv",
}

const TABS = [
  ['asterisk', 'Asterisk'],
  ['freeswitch', 'FreeSWITCH'],
  ['kamailio', 'Kamailio'],
  ['other', 'Another'],
] as const

/** The steps that make a switch send its CDRs, with the address and its name, and whether one has come. */
export function SetUp({ name, secret }: KnownSwitch) {
  const [kind, setKind] = useState<keyof typeof FILES>('asterisk')
  const id = useId()
  const text = fileOfSwitch(FILES[kind], { name, secret }, location)
  return (
    <>
      <Arrived name={name} />
      <TabList id={id} label="Kind of switch" tabs={TABS} value={kind} onChange={setKind} />
      <TabPanel id={id} value={kind}>
        {!secret && (
          <p class="muted">Write its secret in place of SECRET. A lost one is replaced: revoke and add it.</p>
        )}
        <Code>{text}</Code>
        <CopyButton text={text} what="the file" />
      </TabPanel>
    </>
  )
}

const REFRESH_MS = 10_000

/** Looks again while it is visible, until something came. */
function Arrived({ name }: { readonly name: string }) {
  const { value, again } = useQuery('/intakes')
  const found = value?.intakes.find((one) => one.name === name)
  const hasCome = found !== undefined && (found.lastCall !== null || found.suspended > 0)
  useEffect(() => {
    if (hasCome) return undefined
    const timer = setInterval(() => document.hidden || again(), REFRESH_MS)
    return () => clearInterval(timer)
  }, [hasCome, again])
  if (!hasCome)
    return <Notice tone="info" title="No CDR has come yet: this page looks again every ten seconds." />
  if (found.lastCall === null)
    return (
      <Notice tone="warn" title={`CDRs have come, and ${found.suspended} are suspended.`}>
        <a href={linkToRoute(['suspense'])}>Why they are suspended</a>
      </Notice>
    )
  return <Notice tone="good" title={`CDRs come: the last call is of ${found.lastCall}.`} />
}
